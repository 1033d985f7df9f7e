-- Which accounts that exist already become those of users; the default of new connections.
update provisioning_connections set settings = settings || '{"adopt": "matching"}';
