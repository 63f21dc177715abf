-- Stores which version of Relata applied each migration. An older version names it when it refuses the database.
alter table relata.migrations add column if not exists version text;
