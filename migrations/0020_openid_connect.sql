-- OpenID Connect: what applications are as clients, what people have granted them, and the tokens for it.

create table application_oidc (
  organization_id object_id not null,
  application_id object_id not null,
  -- For life.
  client_id text not null,
  -- SHA-256 of the secret, which is long enough for that. Null: a client that cannot keep one.
  secret_hash bytea,
  redirect_uris text[] not null check (cardinality(redirect_uris) > 0),
  grant_types text[] not null,
  token_endpoint_auth_method text not null
    check (token_endpoint_auth_method in ('client_secret_basic', 'client_secret_post', 'none')),
  -- In seconds.
  access_token_lifespan integer not null check (access_token_lifespan > 0),
  -- Where the portal opens the application. Empty: at the origin of the first redirect address.
  sso_url text not null,
  primary key (organization_id, application_id),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade,
  check ((token_endpoint_auth_method = 'none') = (secret_hash is null))
);
call protect_tenant_table('application_oidc');

-- Whose a client is. Global: a request names the client before a tenant is known.
create table oidc_clients (
  client_id text collate "C" primary key,
  tenant object_id not null,
  application_id object_id not null,
  foreign key (tenant, application_id) references applications (organization_id, id) on delete cascade
);
create index oidc_clients_by_application on oidc_clients (tenant, application_id);

-- What somebody has signed in for: the code, and all tokens that came of it. It ends with the session, at once. No reference
-- to the application: each sign-in would lock its row, and grants go by themselves.
create table oidc_grants (
  organization_id object_id not null,
  id object_id not null,
  application_id object_id not null,
  session_id object_id not null,
  -- SHA-256 of the code. It stays after its use, so that a second use is noticed.
  code_hash bytea not null,
  code_expires_at timestamptz(3) not null,
  code_used_at timestamptz(3),
  redirect_uri text not null,
  -- PKCE, S256. Null: the client has sent none.
  challenge text,
  nonce text,
  scopes text[] not null,
  -- Whether the client had no secret then: tokens of one kind of client are worth nothing to the other.
  public_client boolean not null,
  -- When and how the person had proved who they are.
  authenticated_at timestamptz(3) not null,
  methods text[] not null,
  -- The latest end of its code and tokens.
  expires_at timestamptz(3) not null,
  primary key (organization_id, id),
  foreign key (organization_id, session_id) references user_sessions (organization_id, id) on delete cascade
);
call protect_tenant_table('oidc_grants');
create unique index oidc_grants_code on oidc_grants (organization_id, code_hash);
create index oidc_grants_by_session on oidc_grants (organization_id, session_id);
create index oidc_grants_by_expiry on oidc_grants (organization_id, expires_at);

create table oidc_tokens (
  organization_id object_id not null,
  -- SHA-256 of the token.
  hash bytea not null,
  grant_id object_id not null,
  kind text not null check (kind in ('access', 'refresh')),
  -- Of a refresh token: it has been exchanged for the next one, and must not come again.
  used_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (organization_id, hash),
  foreign key (organization_id, grant_id) references oidc_grants (organization_id, id) on delete cascade
);
call protect_tenant_table('oidc_tokens');
create index oidc_tokens_by_grant on oidc_tokens (organization_id, grant_id);
create index oidc_tokens_by_expiry on oidc_tokens (organization_id, expires_at);

grant select, insert, update, delete on application_oidc to gatehouse_service;
grant select, insert, delete on oidc_clients to gatehouse_service;
grant select, insert, update, delete on oidc_grants to gatehouse_service;
grant select, insert, update, delete on oidc_tokens to gatehouse_service;
