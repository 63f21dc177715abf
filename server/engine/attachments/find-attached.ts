import { renderArray, type Sql } from '#db/connect'
import { prepareOptions } from '#db/prepared-statements'
import type { DataModel } from '#engine/data-model/model'

const OF_RECORDS = 'where workspace_id = $1 and record_id = any($2::uuid[])'

const STATEMENT = `
  select parent_record_id as id from relata.notes where workspace_id = $1 and parent_record_id = any($2::uuid[])
  union select record_id from relata.files ${OF_RECORDS}
  union select record_id from relata.threads ${OF_RECORDS}
  union select record_id from relata.task_links ${OF_RECORDS}`

/** Those of the records that have notes, files, comments or tasks. Meetings are left out, as the service links them itself. */
export async function findRecordsWithAttachments(
  sql: Sql,
  { workspace }: DataModel,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.unsafe<{ id: string }[]>(
    STATEMENT,
    [workspace.id, renderArray(ids)],
    prepareOptions(STATEMENT),
  )
  return new Set(rows.map(({ id }) => id))
}
