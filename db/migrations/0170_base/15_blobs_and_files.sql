-- Contents of files by their digest, and what refers to them. The bytes are outside of the database; `server/crm/blobs` stores them.

create table relata.blobs (
  workspace_id uuid not null references relata.workspaces on delete cascade,
  -- The SHA-256 of the bytes.
  digest bytea not null check (length(digest) = 32),
  size bigint not null,
  -- The number of rows that refer to the blob.
  references_count int not null default 0 check (references_count >= 0),
  -- When the last reference ended, or the bytes were last stored without one.
  unreferenced_at timestamptz default clock_timestamp(),
  primary key (workspace_id, digest),
  check ((references_count = 0) = (unreferenced_at is not null))
);

create index blobs_unreferenced on relata.blobs (unreferenced_at) where unreferenced_at is not null;

-- For a table whose rows refer to blobs with `workspace_id` and `blob_digest`, which may be null. The table also has a foreign
-- key to `blobs`, so that no row refers to a blob that is deleted at the same moment. A table has one trigger for each of
-- INSERT, UPDATE and DELETE. A statement locks its blobs in one order, so that two that share contents do not deadlock.
create function relata.count_blob_references() returns trigger language plpgsql as $$
declare
  changes text := case tg_op
    when 'INSERT' then 'select workspace_id, blob_digest, 1 as change from inserted'
    when 'DELETE' then 'select workspace_id, blob_digest, -1 as change from deleted'
    else 'select workspace_id, blob_digest, 1 as change from inserted union all
      select workspace_id, blob_digest, -1 from deleted' end;
begin
  execute format('with changed as materialized (
      select workspace_id, blob_digest, sum(change)::int as change from (%s) c
      where blob_digest is not null group by workspace_id, blob_digest having sum(change) <> 0),
    locked as materialized (
      select b.workspace_id, b.digest, c.change from relata.blobs b
      join changed c on b.workspace_id = c.workspace_id and b.digest = c.blob_digest
      order by b.workspace_id, b.digest for no key update of b)
    update relata.blobs b set references_count = b.references_count + l.change,
      unreferenced_at = case b.references_count + l.change when 0 then clock_timestamp() end
    from locked l where b.workspace_id = l.workspace_id and b.digest = l.digest', changes);
  return null;
end $$;

create table relata.files (
  workspace_id uuid not null,
  id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  file_type text not null check (file_type in ('file', 'folder', 'connected-file', 'connected-folder')),
  -- Null for the top level.
  parent_folder_id uuid,
  name text,
  -- As the client sent it, or as detected from the bytes.
  content_type text,
  -- As detected from the bytes; null if they have no known type.
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

-- The pictures that members uploaded. `workspace_members.avatar_url` is then the path of the picture.
create table relata.member_pictures (
  workspace_id uuid not null,
  workspace_member_id uuid not null,
  blob_digest bytea not null,
  -- As detected from the bytes.
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  primary key (workspace_id, workspace_member_id),
  foreign key (workspace_id, workspace_member_id) references relata.workspace_members on delete cascade,
  foreign key (workspace_id, blob_digest) references relata.blobs
);

create index member_pictures_of_blob on relata.member_pictures (workspace_id, blob_digest);

create trigger count_inserted_references after insert on relata.member_pictures
  referencing new table as inserted for each statement execute function relata.count_blob_references();
create trigger count_updated_references after update on relata.member_pictures
  referencing new table as inserted old table as deleted for each statement execute function relata.count_blob_references();
create trigger count_deleted_references after delete on relata.member_pictures
  referencing old table as deleted for each statement execute function relata.count_blob_references();
