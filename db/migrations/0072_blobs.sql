-- Contents of files by their digest. The bytes are outside of the database; `server/crm/blobs` stores them.

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
