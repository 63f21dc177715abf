-- Which records each import created and changed, for its undo. See docs/decisions/import-runs-and-undo.md.
do $$
declare
  workspace record;
begin
  for workspace in select 'w_' || number as schema from relata.workspaces loop
    execute format('create table %I.import_creations (
      import_id uuid not null,
      sequence bigint not null generated always as identity,
      object integer not null,
      record_ids uuid[] not null,
      primary key (import_id, sequence)
    )', workspace.schema);
    execute format('alter table %I.import_creations alter column record_ids set storage external', workspace.schema);
    execute format('create table %I.import_updates (
      import_id uuid not null,
      record_id uuid not null,
      written_at timestamp with time zone not null,
      object integer not null,
      previous jsonb,
      primary key (import_id, record_id, written_at)
    )', workspace.schema);
    execute format('create index import_updates_record_id on %I.import_updates using btree (record_id)', workspace.schema);
  end loop;
end
$$;

-- The last job that undid the import. The job is deleted before or after the import.
alter table relata.imports add column undo_job_id uuid;
-- Whether its writes were stored from its first one. Imports of earlier versions cannot be undone.
alter table relata.imports add column is_recorded boolean not null default false;
-- How many records an undo left alone because they were changed after the import.
alter table relata.jobs add column kept int not null default 0;
