-- Contents of files by their digest. The bytes are outside of the database; `server/blobs` stores them.

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
-- key to `blobs`, so that no row refers to a blob that is deleted at the same moment.
create function relata.count_blob_references() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.blob_digest is not null then
    update relata.blobs set references_count = references_count - 1,
      unreferenced_at = case references_count when 1 then clock_timestamp() end
    where workspace_id = old.workspace_id and digest = old.blob_digest;
  end if;
  if tg_op <> 'DELETE' and new.blob_digest is not null then
    update relata.blobs set references_count = references_count + 1, unreferenced_at = null
    where workspace_id = new.workspace_id and digest = new.blob_digest;
  end if;
  return null;
end $$;
