-- The processes whose leases end when they are dead, by the name of their connections.
create table relata.workers (name text primary key);

-- The process that has the lease, or that made the last attempt.
alter table relata.jobs add column worker text;
alter table relata.imports add column worker text;
alter table relata.file_import_leases add column worker text;
alter table relata.call_recording_fetches add column worker text;
alter table relata.contact_jobs add column worker text;
alter table relata.inboxes add column worker text;
alter table relata.webhook_alerts add column worker text;
alter table relata.interaction_refreshes add column worker text;
