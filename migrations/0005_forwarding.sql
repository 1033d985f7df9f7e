-- Forwarders send the events of an organization to another system.
create table forwarders (
  organization_id object_id not null,
  id object_id not null,
  name text not null,
  url text not null,
  format text not null check (format in ('json', 'ndjson')),
  services text[] not null check (cardinality(services) > 0),
  search_term jsonb,
  batch_size integer not null check (batch_size between 1 and 1000),
  enabled boolean not null,
  -- Sealed. The previous one still signs until its time is over, so that a receiver can change over.
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz(3),
  status text not null check (status in ('active', 'retrying', 'failed', 'paused')),
  last_success timestamptz(3),
  last_error text,
  last_error_at timestamptz(3),
  -- The time of the newest event that was delivered.
  delivered_to timestamptz(3),
  created timestamptz(3) not null default now(),
  updated timestamptz(3) not null default now(),
  primary key (organization_id, id)
);
call protect_tenant_table('forwarders');

-- Where each forwarder stands and who works on it. Global, because a worker looks for work before it knows a tenant;
-- it holds places and times only.
create table forwarder_runs (
  forwarder_id object_id primary key,
  tenant object_id not null,
  active boolean not null,
  -- Everything up to here was delivered, but for what is named in forwarder_arrivals.
  cursor_timestamp timestamptz(3) not null,
  cursor_id uuid not null,
  -- Counts what was taken from the events: whoever has read an earlier state may take nothing.
  step bigint not null default 0,
  -- A batch is fixed and not yet delivered.
  pending boolean not null default false,
  next_at timestamptz(3) not null,
  lease text,
  lease_until timestamptz(3),
  attempts integer not null default 0,
  failing_since timestamptz(3),
  foreign key (tenant, forwarder_id) references forwarders (organization_id, id) on delete cascade
);

-- What is being delivered: the same events under the same id until it has arrived.
create table forwarder_batches (
  organization_id object_id not null,
  forwarder_id object_id not null,
  webhook_id text not null,
  -- The cursor once the batch has arrived.
  next_timestamp timestamptz(3) not null,
  next_id uuid not null,
  timestamps timestamptz(3)[] not null,
  ids uuid[] not null,
  primary key (organization_id, forwarder_id),
  foreign key (organization_id, forwarder_id) references forwarders (organization_id, id) on delete cascade
);
call protect_tenant_table('forwarder_batches');

-- Events that other sources told late: a reader who follows the event time may have passed their place already.
create table forwarder_arrivals (
  organization_id object_id not null,
  forwarder_id object_id not null,
  timestamp timestamptz(3) not null,
  id uuid not null,
  -- Tells whether a read that passed this place has seen the event.
  xid xid8 not null default pg_current_xact_id(),
  primary key (organization_id, forwarder_id, timestamp, id),
  foreign key (organization_id, forwarder_id) references forwarders (organization_id, id) on delete cascade
);
call protect_tenant_table('forwarder_arrivals');
-- Workers look for arrivals of many organizations at once, as for events.
alter policy tenant on forwarder_arrivals
  using (organization_id = any (current_tenants()))
  with check (organization_id = current_tenant());

create table forwarder_deliveries (
  organization_id object_id not null,
  forwarder_id object_id not null,
  at timestamptz(3) not null,
  id object_id not null,
  webhook_id text not null,
  events integer not null,
  http_status integer,
  duration_ms integer not null,
  error text,
  cursor_timestamp timestamptz(3) not null,
  cursor_id uuid not null,
  primary key (organization_id, forwarder_id, at, id),
  foreign key (organization_id, forwarder_id) references forwarders (organization_id, id) on delete cascade
);
call protect_tenant_table('forwarder_deliveries');

-- The events that the service writes itself (UUID v7, event_clock()) wait for the watermark and cannot be late. All
-- others that a reader may already have passed, or may pass before this transaction commits, are noted. Without a
-- tenant (restore) nothing is.
create function note_forwarder_arrivals() returns trigger
  language plpgsql as $$
begin
  if exists (select from forwarders where organization_id = current_tenant()) then
    insert into forwarder_arrivals (organization_id, forwarder_id, timestamp, id)
    select e.organization_id, f.id, e.timestamp, e.id
      from fresh e join forwarders f on f.organization_id = e.organization_id
     where f.organization_id = current_tenant()
       and e.timestamp < clock_timestamp() + interval '1 minute'
       and (substr(e.id::text, 15, 1) <> '7' or e.timestamp < date_trunc('milliseconds', now()))
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger note_forwarder_arrivals after insert on events
  referencing new table as fresh for each statement execute function note_forwarder_arrivals();

grant select, insert, update, delete on
  forwarders, forwarder_runs, forwarder_batches, forwarder_arrivals, forwarder_deliveries
  to gatehouse_service;
