-- The standard objects that an admin shows in the navigation before they have records, by their slugs.

alter table relata.all_workspaces add column shown_objects text[] not null default '{}';
create or replace view relata.workspaces as select * from relata.all_workspaces where deleted_at is null;
