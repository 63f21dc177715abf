-- Stores which version of Relata each running process of the service is. Null for a version that did not store it.
alter table relata.workers add column if not exists version text;
