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

grant select, insert, update, delete on application_oidc to gatehouse_service;
grant select, insert, delete on oidc_clients to gatehouse_service;
