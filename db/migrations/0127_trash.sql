-- Deleted records are kept for a time, with all that was deleted with them. See docs/decisions/trash-and-merges.md.
do $$
declare
  workspace record;
begin
  for workspace in select 'w_' || number as schema from relata.workspaces loop
    execute format('create table %I.trash (
      id uuid not null,
      object integer not null,
      deleted_at timestamp with time zone not null,
      deleted_by integer not null,
      expires_at timestamp with time zone not null,
      merged_into uuid,
      content json not null,
      primary key (id)
    )', workspace.schema);
    execute format('create index trash_deleted_at on %I.trash using btree (object, deleted_at, id)', workspace.schema);
    execute format('create index trash_expires_at on %I.trash using btree (expires_at)', workspace.schema);
    execute format('create table %I.trash_parts (
      record_id uuid not null,
      sequence bigint not null generated always as identity,
      kind text not null,
      entity_type integer,
      attribute integer,
      content json not null,
      primary key (record_id, sequence)
    )', workspace.schema);
  end loop;
end
$$;

-- The files of records in the trash refer to their blobs, so that these are not deleted.
create table relata.trashed_files (
  workspace_id uuid not null,
  file_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  blob_digest bytea not null,
  primary key (workspace_id, file_id),
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, blob_digest) references relata.blobs
);
create index trashed_files_of_record on relata.trashed_files (workspace_id, record_id);
-- For the deletion of a blob.
create index trashed_files_of_blob on relata.trashed_files (workspace_id, blob_digest);

create trigger count_inserted_references after insert on relata.trashed_files
  referencing new table as inserted for each statement execute function relata.count_blob_references();
create trigger count_updated_references after update on relata.trashed_files
  referencing new table as inserted old table as deleted for each statement execute function relata.count_blob_references();
create trigger count_deleted_references after delete on relata.trashed_files
  referencing old table as deleted for each statement execute function relata.count_blob_references();

-- The workspaces that have records in the trash, and the hours in which these expire. So the worker visits no other workspace.
create table relata.trash_expiries (
  workspace_id uuid not null references relata.workspaces (id) on delete cascade,
  due_at timestamptz not null,
  primary key (workspace_id, due_at)
);
create index trash_expiries_due on relata.trash_expiries (due_at);
