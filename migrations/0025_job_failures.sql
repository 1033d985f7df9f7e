-- Jobs that have failed and that somebody has been told of: what health shows, and how an event is recorded only once.
create table job_failures (
  job uuid primary key,
  queue text not null,
  noticed_at timestamptz(3) not null default now()
);
grant select, insert, delete on job_failures to gatehouse_service;
