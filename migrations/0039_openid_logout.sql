-- OpenID Connect: logout, and subjects as a setting.
alter table application_oidc
  add column post_logout_redirect_uris text[] not null default '{}',
  -- Empty: the client is not told in this way.
  add column frontchannel_logout_uri text not null default '',
  add column backchannel_logout_uri text not null default '',
  -- Pairwise, as subjects have always been: another name for the same user in each application.
  add column subject_type text not null default 'pairwise' check (subject_type in ('pairwise', 'public'));

-- Clients that a session is known to. Grants do not tell: they expire long before the session may. No reference to the
-- session: the rows are read when it has ended, to tell the clients; then, or when they are old, they are deleted.
create table oidc_participants (
  organization_id object_id not null,
  session_id object_id not null,
  application_id object_id not null,
  created timestamptz(3) not null default now(),
  primary key (organization_id, session_id, application_id),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('oidc_participants');
create index oidc_participants_by_application on oidc_participants (organization_id, application_id);
create index oidc_participants_by_age on oidc_participants (organization_id, created);
grant select, insert, update, delete on oidc_participants to gatehouse_service;

-- Their state has another form now. The sessions have ended already; only the browsers in between are affected.
delete from sso_logouts;
