-- The pictures of records: uploaded by members, or fetched from the hosts that their values name. See docs/decisions/record-pictures.md.

create table relata.record_pictures (
  workspace_id uuid not null,
  object_id uuid not null,
  record_id uuid not null,
  -- A small WebP image. Null until a fetch has succeeded.
  blob_digest bytea,
  -- The SHA-256 of the URLs and domains of which the picture is fetched, and when it is fetched again. Null for an uploaded picture.
  sources_hash bytea check (length(sources_hash) = 32),
  expires_at timestamptz,
  -- When the fetch is due, and while a process has the row, the end of its lease. The columns of every queue.
  due_at timestamptz,
  attempts int not null default 0,
  leased_by uuid,
  worker text,
  primary key (workspace_id, record_id),
  -- The record is in a workspace table, so `server/engine/attachments` deletes and moves its picture.
  foreign key (workspace_id, object_id) references relata.entity_types on delete cascade,
  foreign key (workspace_id, blob_digest) references relata.blobs,
  check ((sources_hash is null) = (expires_at is null)),
  check (sources_hash is not null or (blob_digest is not null and due_at is null))
);

create index record_pictures_of_object on relata.record_pictures (workspace_id, object_id);
-- For the deletion of a blob.
create index record_pictures_of_blob on relata.record_pictures (workspace_id, blob_digest);
create index record_pictures_due on relata.record_pictures (due_at) where due_at is not null;
create index record_pictures_due_of_workspace on relata.record_pictures (workspace_id) where due_at is not null;
create index record_pictures_expired on relata.record_pictures (expires_at) where expires_at is not null;

create trigger count_inserted_references after insert on relata.record_pictures
  referencing new table as inserted for each statement execute function relata.count_blob_references();
create trigger count_updated_references after update on relata.record_pictures
  referencing new table as inserted old table as deleted for each statement execute function relata.count_blob_references();
create trigger count_deleted_references after delete on relata.record_pictures
  referencing old table as deleted for each statement execute function relata.count_blob_references();

-- Whether the service fetches pictures from URLs in values of records, and logos of companies from their domains.
alter table relata.all_workspaces add column fetches_pictures boolean not null default true;
alter table relata.all_workspaces add column fetches_company_logos boolean not null default false;
create or replace view relata.workspaces as select * from relata.all_workspaces where deleted_at is null;
