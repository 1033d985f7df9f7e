-- Applications: what people sign in to.

create table applications (
  organization_id object_id not null,
  id object_id not null,
  -- The template; fixed for life.
  name text not null,
  display_name text not null default '',
  display_label text not null default '',
  description text not null default '',
  active boolean not null default false,
  beta boolean not null default false,
  ai_ready boolean not null default false,
  color text not null default '',
  learn_more text not null default '',
  parent_app text not null default '',
  reference_applications jsonb not null default '[]',
  -- As it was sent: an address or a slug alone; of a bookmark, where it leads.
  sso_url text not null,
  -- Null: nobody signs in here by an address of ours (a bookmark).
  slug text,
  hidden boolean not null default false,
  jit boolean not null default false,
  -- Values of the settings by their names. What else there is to a setting (label, position …) is the template's.
  -- json, not jsonb: members keep their order, so that what is read and sent back is the same.
  config json not null default '{}',
  logo_id object_id,
  -- The certificates in their roles; a row of application_certificates in none of them is not kept.
  certificate_id object_id,
  next_certificate_id object_id,
  previous_certificate_id object_id,
  -- When the next certificate takes over by itself. Null: by hand.
  promote_at timestamptz(3),
  created timestamptz(3) not null default clock_timestamp(),
  -- Deleted, and can be restored for a while.
  deleted_at timestamptz(3),
  primary key (organization_id, id)
);
call protect_tenant_table('applications');
create index applications_by_name on applications (organization_id, (name::text collate "C") nulls first, id) where deleted_at is null;
create index applications_deleted on applications (organization_id, deleted_at) where deleted_at is not null;

-- Whose an address under /saml2 is. Global: a request names the slug before a tenant is known. In lower case, as paths
-- are read without it. Only living applications have one.
create table application_slugs (
  slug text collate "C" primary key,
  tenant object_id not null,
  application_id object_id not null,
  foreign key (tenant, application_id) references applications (organization_id, id) on delete cascade
);
create index application_slugs_by_application on application_slugs (tenant, application_id);

-- A certificate and its key never change; what an application does with it stands there.
create table application_certificates (
  organization_id object_id not null,
  application_id object_id not null,
  id object_id not null,
  -- PEM.
  certificate text not null,
  -- Sealed.
  private_key text not null,
  -- SHA-256 of the certificate in hex.
  fingerprint text not null,
  not_before timestamptz(3) not null,
  not_after timestamptz(3) not null,
  -- The last warning before its end was about so many days.
  warned_days integer,
  created timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, application_id, id),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('application_certificates');
create index application_certificates_by_end on application_certificates (organization_id, not_after);

-- Who has seen which certificate in the metadata of its application.
create table application_metadata_fetches (
  organization_id object_id not null,
  application_id object_id not null,
  certificate_id object_id not null,
  address text not null,
  user_agent text not null,
  first_at timestamptz(3) not null default clock_timestamp(),
  last_at timestamptz(3) not null default clock_timestamp(),
  primary key (organization_id, application_id, certificate_id, address, user_agent),
  foreign key (organization_id, application_id, certificate_id)
    references application_certificates (organization_id, application_id, id) on delete cascade
);
call protect_tenant_table('application_metadata_fetches');

-- Pictures for everybody to see. Global: they are asked for without a credential, by an id that nobody can guess.
create table logos (
  id object_id primary key,
  tenant object_id not null,
  application_id object_id not null,
  content_type text not null check (content_type in ('image/gif', 'image/jpeg', 'image/png')),
  content bytea not null,
  created timestamptz(3) not null default clock_timestamp(),
  foreign key (tenant, application_id) references applications (organization_id, id) on delete cascade
);
create index logos_by_application on logos (tenant, application_id);

grant select, insert, update, delete on applications to gatehouse_service;
grant select, insert, update, delete on application_slugs to gatehouse_service;
grant select, insert, update, delete on application_certificates to gatehouse_service;
grant select, insert, update, delete on application_metadata_fetches to gatehouse_service;
grant select, insert, delete on logos to gatehouse_service;
