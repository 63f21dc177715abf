/** The rows of notes. */

import { type Expression, type Selectable, sql, type SqlBool } from 'kysely'
import type { Sql, Transaction } from '../../../db/connect'
import type { NotesTable } from '../../../db/schema'
import type { RequestContext } from '../../context'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import { runStatement } from '../../query/run/run-statement'

/** `content` is the JSON of a block document. */
export type NoteRow = Omit<Selectable<NotesTable>, 'workspace_id'>

const COLUMNS = [
  'id',
  'parent_object_id',
  'parent_record_id',
  'title',
  'content',
  'meeting_id',
  'created_by',
  'created_at',
  'version',
] as const satisfies readonly (keyof NoteRow)[]

export interface NoteSelection {
  readonly parentObjectId?: string
  readonly parentRecordId?: string
  /** The number of the actor. */
  readonly createdBy?: number
  /** Words of the title, each of them a prefix. */
  readonly titleWords?: readonly string[]
  readonly direction: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** By creation, and by id among equals. PostgreSQL plans the statement for its own values, so a rare word is found by its index. */
export async function listNoteRows(context: RequestContext, selection: NoteSelection): Promise<NoteRow[]> {
  const { direction, limit, offset } = selection
  const query = controlQueriesIn(context.db.sql)
    .selectFrom('relata.notes')
    .select(COLUMNS)
    .where((column) => column.and(conditionsOf(context, selection)))
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .compile()
  const rows = await runStatement(context, { text: query.sql, parameters: query.parameters.map(String) })
  return rows.map(
    (row) => Object.fromEntries(COLUMNS.map((column, index) => [column, row[index]])) as unknown as NoteRow,
  ) // the columns in their order
}

function conditionsOf({ model }: RequestContext, selection: NoteSelection): Expression<SqlBool>[] {
  const { parentObjectId, parentRecordId, createdBy, titleWords } = selection
  const { id } = model.workspace
  return [
    sql<SqlBool>`workspace_id = ${id}`,
    parentObjectId === undefined ? undefined : sql<SqlBool>`parent_object_id = ${parentObjectId}`,
    parentRecordId === undefined ? undefined : sql<SqlBool>`parent_record_id = ${parentRecordId}`,
    createdBy === undefined ? undefined : sql<SqlBool>`created_by = ${createdBy}`,
    titleWords === undefined
      ? undefined
      : sql<SqlBool>`relata.note_title_lexemes(workspace_id, title) @@ ${titleQuery(id, titleWords)}::tsquery`,
  ].filter((condition) => condition !== undefined)
}

/** Words have neither quotes nor backslashes. */
const titleQuery = (workspaceId: string, words: readonly string[]): string =>
  [`'${workspaceId}'`, ...words.map((word) => `'${word}':*`)].join(' & ')

export const findNoteRow = (on: Sql, { model }: RequestContext, id: string): Promise<NoteRow | undefined> =>
  controlQueriesIn(on)
    .selectFrom('relata.notes')
    .select(COLUMNS)
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .executeTakeFirst()

/** The note, locked until the transaction ends. `isSameContent` compares its content with `content`. */
export const lockNoteRow = (
  tx: Transaction,
  { model }: RequestContext,
  id: string,
  content = 'null',
): Promise<(NoteRow & { readonly isSameContent: boolean }) | undefined> =>
  controlQueriesIn(tx)
    .selectFrom('relata.notes')
    .select(COLUMNS)
    .select(sql<boolean>`content = ${textAsJsonb(content)}`.as('isSameContent'))
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export async function insertNoteRow(tx: Transaction, { model }: RequestContext, note: NoteRow): Promise<void> {
  await controlQueriesIn(tx)
    .insertInto('relata.notes')
    .values({ ...note, workspace_id: model.workspace.id, content: textAsJsonb(note.content) })
    .execute()
}

/** Writes title and content, and increments the version. */
export async function updateNoteRow(tx: Transaction, { model }: RequestContext, note: NoteRow): Promise<void> {
  await controlQueriesIn(tx)
    .updateTable('relata.notes')
    .set({ title: note.title, content: textAsJsonb(note.content), version: note.version })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', note.id)
    .execute()
}

export async function deleteNoteRow(tx: Transaction, { model }: RequestContext, id: string): Promise<void> {
  await controlQueriesIn(tx)
    .deleteFrom('relata.notes')
    .where('workspace_id', '=', model.workspace.id)
    .where('id', '=', id)
    .execute()
}

const textAsJsonb = (json: string) => sql<string>`${json}::text::jsonb`
