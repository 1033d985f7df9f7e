-- Readers of events may act for several organizations at once: the setting then holds their ids, separated by
-- commas. Every other table compares the whole value with one id and so shows nothing.
create function current_tenants() returns text[]
  language sql stable parallel safe
  return string_to_array(nullif(current_setting('app.organization_id', true), ''), ',');

alter policy tenant on events
  using (organization_id = any (current_tenants()))
  with check (organization_id = current_tenant());
