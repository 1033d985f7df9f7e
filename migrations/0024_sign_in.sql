-- Attempts in flight are no failures until they are judged, and addresses of applications are not passed on at once.

-- Attempts that were let through and are not judged yet; with the failures they never exceed the limit. Those of a
-- process that ended lapse by their age.
alter table sign_in_failures add column in_flight integer not null default 0;
alter table sign_in_failures add column in_flight_at timestamptz(3);

-- An address that was given up stays its tenant's for a while, without an application: service providers out there may
-- still send people to it.
alter table application_slugs alter column application_id drop not null;
alter table application_slugs add column kept_until timestamptz(3);
alter table application_slugs add check ((application_id is null) = (kept_until is not null));
