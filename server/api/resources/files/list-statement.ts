/**
 * The statements of lists of files. A list with one filter reads one range of the index in the third column. All entries of a
 * record have its object, and all entries of a folder have its record, so `listFileRows` compares these members afterwards.
 *
 * | filter                   | condition             | index                |
 * | ------------------------ | --------------------- | -------------------- |
 * | none                     | the record            | `files_of_record`    |
 * | a folder                 | the folder            | `files_of_folder`    |
 * | no folder                | the record, no folder | `files_of_top_level` |
 * | a provider, or no other  | the record, provider  | `files_of_provider`  |
 */

import type { Database, Sql } from '#db/connect'
import { runOnLookupPool } from '#db/lookup-pool'
import { columnTexts, type Placeholder, selectRows, statementsByShape, typedParam } from '#engine/storage/statement'
import { FILE_COLUMNS, type FileRow } from './store'

export interface FileList {
  readonly workspaceId: string
  readonly objectId: string
  readonly recordId: string
  /** Null for entries in no folder, undefined for all. */
  readonly folderId: string | null | undefined
  /** Null for the service itself, undefined for all. */
  readonly provider: string | null | undefined
  /** The keys of the row before the page. */
  readonly after: readonly (string | null)[] | undefined
  readonly limit: number
}

/** In the order of creation. */
export async function listFileRows(
  db: Pick<Database, 'sql' | 'lookups' | 'queries'>,
  list: FileList,
): Promise<readonly FileRow[]> {
  const { after, ...parameters } = list
  const texts = columnTexts({ ...parameters, afterTime: after?.[0], afterId: after?.[1] })
  const send = (on: Sql) => selectRows<FileRow>(on, statementOf(list), texts)
  const hasBothFilters = list.folderId !== undefined && list.provider !== undefined
  // A list with both filters may pass over many entries, so it has the time limit of queries.
  const rows = await (hasBothFilters ? send(db.queries) : runOnLookupPool(db, send))
  return rows.filter(({ object_id, record_id }) => object_id === list.objectId && record_id === list.recordId)
}

const statementOf = statementsByShape(shapeOf, textOf)

function shapeOf({ folderId, provider, after }: FileList): string {
  const filters = [folderId, provider].map((filter) => (typeof filter === 'string' ? 'given' : String(filter)))
  return [...filters, after !== undefined].join()
}

function textOf(param: Placeholder, { folderId, provider, after }: FileList): string {
  const of = (name: keyof FileList | 'afterTime' | 'afterId', type: string) => typedParam(param, name, type)
  const conditions = [
    `workspace_id = ${of('workspaceId', 'uuid')}`,
    typeof folderId === 'string'
      ? `parent_folder_id = ${of('folderId', 'uuid')}`
      : `record_id = ${of('recordId', 'uuid')}`,
    ...(folderId === null ? ['parent_folder_id is null'] : []),
    ...(provider === null ? ['storage_provider is null'] : []),
    ...(typeof provider === 'string' ? [`storage_provider = ${of('provider', 'text')}`] : []),
    ...(after === undefined
      ? []
      : [`(created_at, id) > (${of('afterTime', 'timestamptz')}, ${of('afterId', 'uuid')})`]),
  ]
  return `select ${FILE_COLUMNS.join(', ')} from relata.files where ${conditions.join(' and ')}
    order by created_at, id limit ${of('limit', 'bigint')}`
}
