-- SAML: requests on their way, sessions that applications know of, logouts on their way, the debug view.

-- A request that waits until the person has signed in, or until the browser comes back with its cookie.
create table sso_pending_requests (
  organization_id object_id not null,
  -- SHA-256 of the secret in the address.
  hash bytea not null,
  application_id object_id not null,
  -- What of the request decides about the answer, after all checks that need no person.
  request jsonb not null,
  expires_at timestamptz(3) not null,
  primary key (organization_id, hash),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('sso_pending_requests');
create index sso_pending_requests_by_expiry on sso_pending_requests (organization_id, expires_at);
create index sso_pending_requests_by_application on sso_pending_requests (organization_id, application_id);

-- Requests that were answered. Kept for as long as such a request would be accepted once more. No reference to the
-- application here and in sso_attempts: each sign-in would lock its row, and they go by themselves.
create table sso_answered_requests (
  organization_id object_id not null,
  application_id object_id not null,
  -- SHA-256 of the ID that the service provider gave it.
  hash bytea not null,
  expires_at timestamptz(3) not null,
  primary key (organization_id, application_id, hash)
);
call protect_tenant_table('sso_answered_requests');
create index sso_answered_requests_by_expiry on sso_answered_requests (organization_id, expires_at);

-- Whom an application has been told about in which session: who hears of the end of it, and under which name.
create table sso_participants (
  organization_id object_id not null,
  session_id object_id not null,
  application_id object_id not null,
  -- SHA-256 of name_id; an application may know somebody by several names.
  name_hash bytea not null,
  name_id text not null,
  name_id_format text not null,
  session_index text not null,
  created timestamptz(3) not null default now(),
  primary key (organization_id, session_id, application_id, name_hash),
  foreign key (organization_id, session_id) references user_sessions (organization_id, id) on delete cascade,
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('sso_participants');
create index sso_participants_by_application on sso_participants (organization_id, application_id);

-- A logout on its way through the applications of a session that has ended.
create table sso_logouts (
  organization_id object_id not null,
  -- SHA-256 of the secret in the address and in RelayState.
  hash bytea not null,
  state jsonb not null,
  expires_at timestamptz(3) not null,
  primary key (organization_id, hash)
);
call protect_tenant_table('sso_logouts');
create index sso_logouts_by_expiry on sso_logouts (organization_id, expires_at);

-- The last attempts of each application, for administrators who look for a mistake.
create table sso_attempts (
  organization_id object_id not null,
  application_id object_id not null,
  -- In the order of time.
  id uuid not null,
  at timestamptz(3) not null default now(),
  kind text not null check (kind in ('sign-in', 'logout')),
  idp_initiated boolean not null,
  -- Null: it went well.
  reason text,
  explanation text not null default '',
  user_id object_id,
  username text,
  client_ip text not null,
  -- As received and as sent, without what is personal or could be used again.
  request text,
  response text,
  primary key (organization_id, application_id, id)
);
call protect_tenant_table('sso_attempts');
create index sso_attempts_by_time on sso_attempts (organization_id, at);

grant select, insert, update, delete on sso_pending_requests to gatehouse_service;
grant select, insert, update, delete on sso_answered_requests to gatehouse_service;
grant select, insert, update, delete on sso_participants to gatehouse_service;
grant select, insert, update, delete on sso_logouts to gatehouse_service;
grant select, insert, update, delete on sso_attempts to gatehouse_service;
