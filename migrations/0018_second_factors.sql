-- Second factors: codes for whoever is without the device, and the end of exclusions.

-- Each is good for one sign-in, and gone then.
create table user_recovery_codes (
  organization_id object_id not null,
  user_id object_id not null,
  -- SHA-256 of the code, which is long enough for that.
  hash text not null,
  created timestamptz(3) not null default now(),
  primary key (organization_id, user_id, hash),
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
call protect_tenant_table('user_recovery_codes');
grant select, insert, delete on user_recovery_codes to gatehouse_service;

-- The end of an exclusion that was told, as it is written in the profile: another exclusion has another end. Those that
-- ended before anybody told are past.
alter table users add column mfa_exclusion_told_for text;
update users set mfa_exclusion_told_for = profile -> 'mfa' ->> 'exclusionUntil'
 where (profile -> 'mfa' ->> 'exclusionUntil')::timestamptz <= now();
create index users_by_mfa_exclusion on users (organization_id, (profile -> 'mfa' ->> 'exclusionUntil'))
  where deleted_at is null and mfa_exclusion_told_for is distinct from (profile -> 'mfa' ->> 'exclusionUntil');
