-- Rows of work for a job, such as the users of a bulk request: each row's change commits together with its result.

create table batches (
  organization_id object_id not null,
  id object_id not null,
  -- Names the code that handles the rows, such as users.bulk.
  kind text not null,
  -- Waiting: for an administrator to confirm it.
  state text not null default 'queued'
    check (state in ('queued', 'running', 'waiting', 'finished', 'failed', 'cancelled')),
  -- The options of its kind.
  input jsonb not null default '{}',
  started_by jsonb not null,
  -- What its kind notes on the way.
  notes jsonb not null default '{}',
  -- The number of rows; the next one gets the position after it.
  total integer not null default 0,
  -- Set once it is finished.
  summary jsonb,
  -- Why it failed as a whole.
  error text,
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  primary key (organization_id, id)
);
call protect_tenant_table('batches');
create index batches_by_kind on batches (organization_id, kind, created desc, id desc);

create table batch_rows (
  organization_id object_id not null,
  batch_id object_id not null,
  position integer not null,
  id object_id not null,
  -- What the row is about, such as the id of a record; once in a batch.
  key text,
  status text not null default 'Pending' check (status in ('Pending', 'Finished')),
  status_msg text not null default '',
  -- Null while it is pending.
  success boolean,
  input jsonb not null,
  -- Sealed, and deleted as soon as the row is finished.
  secret text,
  result jsonb not null default '{}',
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  primary key (organization_id, batch_id, position),
  unique (organization_id, batch_id, key),
  foreign key (organization_id, batch_id) references batches (organization_id, id) on delete cascade,
  check ((status = 'Finished') = (success is not null))
);
call protect_tenant_table('batch_rows');
-- A run that continues passes over the finished rows.
create index batch_rows_pending on batch_rows (organization_id, batch_id, position) where status = 'Pending';

grant select, insert, update, delete on batches, batch_rows to gatehouse_service;

insert into batches (organization_id, id, kind, state, input, started_by, total, summary, created, updated, started_at,
                     finished_at)
select j.organization_id, j.id, 'users.bulk',
       case when j.finished_at is not null then 'finished' when r.finished > 0 then 'running' else 'queued' end,
       jsonb_build_object('operation', j.kind, 'source', j.creation_source, 'mailTo', j.mail_to),
       j.started_by, r.total,
       case when j.finished_at is not null then jsonb_build_object('total', r.total, 'failed', r.failed) end,
       j.created, coalesce(j.finished_at, j.created), case when r.finished > 0 then j.created end, j.finished_at
  from bulk_jobs j
 cross join lateral (
   select coalesce(max(position), 0) as total,
          count(*) filter (where status = 'Finished') as finished,
          count(*) filter (where meta ->> 'success' = 'false') as failed
     from bulk_job_results
    where organization_id = j.organization_id and job_id = j.id) r;

insert into batch_rows (organization_id, batch_id, position, id, status, status_msg, success, input, secret, result,
                        created, updated)
select organization_id, job_id, position, id, status, status_msg, (meta ->> 'success')::boolean, persisted_fields,
       password, meta - 'success', created, updated
  from bulk_job_results;

drop table bulk_job_results;
drop table bulk_jobs;
