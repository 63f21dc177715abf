-- The pictures that members uploaded. `workspace_members.avatar_url` is then the path of the picture.
create table relata.member_pictures (
  workspace_id uuid not null,
  workspace_member_id uuid not null,
  blob_digest bytea not null,
  -- What the bytes say.
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
