-- A frame holds 32 events since they need no dictionary, more than half of a page of the database: in place, each would
-- leave the other half empty. Out of line they fill their pages, and are read as quickly. Sealed ones stay as they are.
alter table event_frames reset (toast_tuple_target);
