-- An application that has just been bound is unknown to the statistics, so the planner takes it to have one account, and
-- any index that starts with the application is as good as the primary key: each save read every account. The remote id
-- goes first.
drop index provisioning_users_by_remote;
create index provisioning_users_by_remote on provisioning_users (remote_id, application_id)
  where remote_id is not null;
