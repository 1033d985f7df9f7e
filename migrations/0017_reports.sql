-- Reports that administrators ask for, and the files made of them.
create table reports (
  organization_id object_id not null,
  id object_id not null,
  type text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'DELETED')),
  requester_id object_id not null,
  -- Empty for service accounts.
  requester_email text not null,
  -- Why it failed, for those who asked.
  error_message text,
  -- Whoever makes it now. A run that finds another one here has lost its turn and stops.
  run_id uuid,
  attempts integer not null default 0,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  -- From then on its files are gone.
  expiration timestamptz(3) not null,
  primary key (organization_id, id)
);
call protect_tenant_table('reports');
create index reports_by_created on reports (organization_id, created_at, id);

create table report_artifacts (
  organization_id object_id not null,
  report_id object_id not null,
  id object_id not null,
  -- Files of a run that never ended are nobody's, and are never shown.
  run_id uuid not null,
  format text not null check (format in ('CSV', 'JSON')),
  primary key (organization_id, report_id, id),
  foreign key (organization_id, report_id) references reports (organization_id, id) on delete cascade
);
call protect_tenant_table('report_artifacts');

-- A file in pieces, each packed by itself: whoever writes or sends it needs no more memory than for one.
create table report_artifact_pieces (
  organization_id object_id not null,
  report_id object_id not null,
  artifact_id object_id not null,
  position integer not null,
  -- gzip
  content bytea not null,
  primary key (organization_id, report_id, artifact_id, position),
  foreign key (organization_id, report_id, artifact_id)
    references report_artifacts (organization_id, report_id, id) on delete cascade
);
call protect_tenant_table('report_artifact_pieces');
-- It is packed already.
alter table report_artifact_pieces alter column content set storage external;

grant select, insert, update, delete on reports to gatehouse_service;
grant select, insert, update, delete on report_artifacts to gatehouse_service;
grant select, insert, update, delete on report_artifact_pieces to gatehouse_service;
