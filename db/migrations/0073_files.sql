-- Files and folders of records.

create table relata.files (
  workspace_id uuid not null,
  id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  file_type text not null check (file_type in ('file', 'folder', 'connected-file', 'connected-folder')),
  -- Null for the top level.
  parent_folder_id uuid,
  name text,
  -- What the client said, or what the bytes say.
  content_type text,
  -- What the bytes say; null when they do not.
  detected_type text,
  content_size bigint,
  blob_digest bytea,
  -- The provider of a connected file or folder; null for the service itself.
  storage_provider text check (storage_provider in ('dropbox', 'box', 'google-drive', 'microsoft-onedrive')),
  external_provider_file_id text,
  microsoft_drive_id text,
  -- The number of the actor.
  created_by int not null,
  created_at timestamptz not null,
  primary key (workspace_id, id),
  -- An object is deleted with its files. The record is in a workspace table, so `server/engine/attachments` deletes and moves its files.
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, parent_folder_id) references relata.files on delete cascade,
  foreign key (workspace_id, blob_digest) references relata.blobs,
  check ((file_type = 'file') = (blob_digest is not null and content_size is not null)),
  check ((file_type in ('file', 'folder')) = (name is not null)),
  check ((file_type in ('file', 'folder')) = (storage_provider is null)),
  check ((storage_provider is null) = (external_provider_file_id is null)),
  check (storage_provider is null or parent_folder_id is null)
);

-- Each list of files has an index: of a record, of its top level, of a provider, and of a folder.
create index files_of_record on relata.files (workspace_id, record_id, created_at, id);
create index files_of_top_level on relata.files (workspace_id, record_id, created_at, id) where parent_folder_id is null;
create index files_of_provider on relata.files (workspace_id, record_id, storage_provider, created_at, id);
create index files_of_folder on relata.files (workspace_id, parent_folder_id, created_at, id)
  where parent_folder_id is not null;
-- For the deletion of a blob.
create index files_of_blob on relata.files (workspace_id, blob_digest) where blob_digest is not null;

create trigger count_inserted_references after insert on relata.files
  referencing new table as inserted for each statement execute function relata.count_blob_references();
create trigger count_updated_references after update on relata.files
  referencing new table as inserted old table as deleted for each statement execute function relata.count_blob_references();
create trigger count_deleted_references after delete on relata.files
  referencing old table as deleted for each statement execute function relata.count_blob_references();
