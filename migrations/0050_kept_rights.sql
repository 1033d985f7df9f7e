-- Who set up an import or a connection, and with which scopes: checked again when it runs. Null: before this migration,
-- or by the service itself.
alter table import_sources add column rights jsonb;
alter table provisioning_connections add column rights jsonb;
-- For machines: why the service stopped the connection, where it is not the provider that refuses.
alter table provisioning_connections add column status_code text;
