/** The rows of files and folders. */

import { type Selectable, sql } from 'kysely'
import type { Sql, Transaction } from '#db/connect'
import type { FilesTable } from '#db/schema'
import { isHiddenObjectId } from '#engine/data-model/access/hidden'
import { controlQueriesIn, hasRow, equal } from '#engine/data-model/kysely-in-transaction'
import type { DataModel } from '#engine/data-model/model'

export type FileRow = Omit<Selectable<FilesTable>, 'workspace_id'>

export const FILE_COLUMNS = [
  'id',
  'object_id',
  'record_id',
  'file_type',
  'parent_folder_id',
  'note_id',
  'name',
  'content_type',
  'detected_type',
  'content_size',
  'blob_digest',
  'storage_provider',
  'external_provider_file_id',
  'microsoft_drive_id',
  'url',
  'created_by',
  'created_at',
] as const satisfies readonly (keyof FileRow)[]

export async function insertFileRow(tx: Transaction, workspaceId: string, row: FileRow): Promise<void> {
  await controlQueriesIn(tx)
    .insertInto('relata.files')
    .values({ workspace_id: workspaceId, ...row })
    .execute()
}

export const findFileRow = (on: Sql, workspaceId: string, id: string): Promise<FileRow | undefined> =>
  controlQueriesIn(on)
    .selectFrom('relata.files')
    .select(FILE_COLUMNS)
    .where(equal({ workspace_id: workspaceId, id }))
    .executeTakeFirst()

/** A place for a file: a record, and a folder of it. */
interface Place {
  readonly recordId: string
  readonly folderId: string
}

/** Prevents the deletion of a folder until the transaction ends. Returns false when the record has no such folder. */
export function lockFolder(tx: Transaction, workspaceId: string, { recordId, folderId }: Place): Promise<boolean> {
  return hasRow(
    controlQueriesIn(tx)
      .selectFrom('relata.files')
      .select('id')
      .where(equal({ workspace_id: workspaceId, id: folderId, record_id: recordId, file_type: 'folder' }))
      .forKeyShare(),
  )
}

/** Prevents the deletion of a note until the transaction ends. Returns false when the record has no such note. */
export function lockNoteOf(
  tx: Transaction,
  workspaceId: string,
  { recordId, noteId }: { readonly recordId: string; readonly noteId: string },
): Promise<boolean> {
  return hasRow(
    controlQueriesIn(tx)
      .selectFrom('relata.notes')
      .select('id')
      .where(equal({ workspace_id: workspaceId, id: noteId, parent_record_id: recordId }))
      .forKeyShare(),
  )
}

export function hasChildren(on: Sql, workspaceId: string, folderId: string): Promise<boolean> {
  return hasRow(
    controlQueriesIn(on)
      .selectFrom('relata.files')
      .select('id')
      .where(equal({ workspace_id: workspaceId, parent_folder_id: folderId }))
      .limit(1),
  )
}

/**
 * Deletes an entry and all that a folder contains. Returns false when the entry does not exist or its
 * object is hidden. The lock comes first, so that
 * the second statement finds what was added to the folder before. The foreign key deletes what is added to folders below it.
 */
export async function deleteFileRows(tx: Transaction, model: DataModel, id: string): Promise<boolean> {
  const workspaceId = model.workspace.id
  const control = controlQueriesIn(tx)
  const locked = await control
    .selectFrom('relata.files')
    .select('object_id')
    .where(equal({ workspace_id: workspaceId, id }))
    .forUpdate()
    .executeTakeFirst()
  if (locked === undefined || isHiddenObjectId(model, locked.object_id)) return false
  await sql`
    with recursive contained as (
      select ${id}::uuid as id
      union all
      select f.id from relata.files f join contained c on f.workspace_id = ${workspaceId} and f.parent_folder_id = c.id
    )
    delete from relata.files where workspace_id = ${workspaceId} and id in (select id from contained)`.execute(control)
  return true
}
