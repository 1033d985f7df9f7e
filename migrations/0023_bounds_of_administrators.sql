-- When the password was last given again in a session that is open already.
alter table sessions add column confirmed_at timestamptz(3);

-- A link to a new password is good while the administrator has the address that it was sent to. Null, as a process of
-- the former release writes it, matches no address.
alter table password_resets add column email text;
update password_resets r set email = a.email from administrators a where a.id = r.administrator_id;
