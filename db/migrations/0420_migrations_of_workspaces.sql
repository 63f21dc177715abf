-- Each workspace has the name of the last migration that changed the tables in its schema. A new workspace gets that of its version.

alter table relata.all_workspaces add column tables_migration text not null default '';
