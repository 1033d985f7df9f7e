-- Events that come late are noted by the service (server/forwarding/arrivals.ts) as ingest stores them, and no longer by
-- a trigger that every event passed.
drop trigger note_forwarder_arrivals on events;
drop function note_forwarder_arrivals();
