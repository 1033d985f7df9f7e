-- When a key or secret was last used, give or take a few minutes. Null: not since this column exists.
alter table credentials add column last_used_at timestamptz(3);
