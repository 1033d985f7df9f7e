-- Mail is kept while there is no mail server, or until somebody releases it, and sent then.
alter table mails
  add column state text not null default 'queued' check (state in ('queued', 'kept', 'held', 'sent', 'dropped')),
  -- The bulk job whose administrator releases the mail.
  add column held_for object_id,
  -- Whom the one-time link in the body is for, and until when; it is renewed if the mail waited for longer.
  add column link jsonb;
update mails set state = case when sent_at is not null then 'sent'
                              when created > now() - interval '3 days' then 'kept' else 'dropped' end;
create index mails_waiting on mails (state, created) where state in ('kept', 'held');
