-- Home and the list of applications look for connections with failing accounts, which are few among many.
create index provisioning_users_failing on provisioning_users (organization_id, application_id)
  where failing_since is not null;
