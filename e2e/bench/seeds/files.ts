/** Makes the files that a workload lists: one for each person, in the service and in the floor. */

import type { Sql } from '#db/connect'
import { readPeopleTable } from './people-table'

/** Inserts rows as uploads do, each with other bytes, which are not stored. Files of an earlier run are kept. */
export async function makeFiles(sql: Sql): Promise<void> {
  if ((await sql`select from relata.files limit 1`).length > 0) return
  const { workspaceId, objectId, table } = await readPeopleTable(sql)
  await sql.unsafe(
    `insert into relata.blobs (workspace_id, digest, size) select $1, sha256(id::text::bytea), 100000 from ${table}`,
    [workspaceId],
  )
  await sql.unsafe(
    `insert into relata.files (workspace_id, id, object_id, record_id, file_type, name, content_type, detected_type,
       content_size, blob_digest, created_by, created_at)
     select $1, gen_random_uuid(), $2, id, 'file', 'Contract.pdf', 'application/pdf', 'application/pdf', 100000,
       sha256(id::text::bytea), created_by, created_at
     from ${table} order by created_at, id`,
    [workspaceId, objectId],
  )
  await sql.unsafe('vacuum analyze relata.blobs')
  await sql.unsafe('analyze relata.files')
}

export async function makeFloorFiles(sql: Sql): Promise<void> {
  await sql.unsafe(`
    drop table if exists floor.files;
    create table floor.files as select id, record_id, name, content_type, content_size, created_by, created_at from relata.files;
    alter table floor.files add primary key (id);
    create index on floor.files (record_id, created_at, id);
    analyze floor.files;`)
}
