-- Metadata of service providers: what the last import has set, and the address that is followed.
create table application_sp_metadata (
  organization_id object_id not null,
  application_id object_id not null,
  -- Settings that the import set: they fall back to the template when the next one does not mention them.
  settings text[] not null,
  entity_id text not null,
  -- Null: an import that is not repeated.
  url text,
  imported_at timestamptz(3) not null default now(),
  -- The last attempt to read the address again, and what went wrong with it.
  checked_at timestamptz(3),
  error text not null default '',
  primary key (organization_id, application_id),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
);
call protect_tenant_table('application_sp_metadata');
create index application_sp_metadata_followed on application_sp_metadata (organization_id) where url is not null;
grant select, insert, update, delete on application_sp_metadata to gatehouse_service;

-- Defaults of NameIDs change, but what service providers receive from applications that exist does not.

-- The custom template now starts with the format emailAddress and three attributes.
update applications
   set config = jsonb_build_object('overrideNameIdFormat', 'urn:oasis:names:tc:SAML:1.0:nameid-format:unspecified',
                                   'databaseAttributes', '[]'::jsonb) || config::jsonb
 where name = 'saml2' and slug is not null;
update applications
   set config = jsonb_build_object('overrideNameIdFormat', 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent') || config::jsonb
 where name = 'github-enterprise-cloud' and slug is not null;
update applications
   set config = jsonb_build_object('subjectField', 'email') || config::jsonb
 where name in ('gitlab', 'gitlab-self-managed') and slug is not null;

-- Persistent and transient NameIDs held the subject, in most cases the e-mail address; they are opaque now.
update applications
   set config = config::jsonb || '{"keepsNameId": true}'
 where slug is not null
   and case when config::jsonb ? 'overrideNameIdFormat'
            then config ->> 'overrideNameIdFormat' in ('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
                                                       'urn:oasis:names:tc:SAML:2.0:nameid-format:transient')
            else name in ('aws', 'docusign', 'elastic', 'github-enterprise-server', 'gitlab', 'gitlab-self-managed',
                          'grafana', 'keycloak', 'microsoft-365', 'slack', 'smartsheet', 'webex')
       end;
