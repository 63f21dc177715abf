/** The rows of notes. */

import { type Compilable, type Expression, type Selectable, sql, type SqlBool } from 'kysely'
import type { Sql, Transaction } from '../../../db/connect'
import type { NotesTable } from '../../../db/schema'
import type { RequestContext } from '../../context'
import { controlQueriesIn } from '../../data-model/kysely-in-transaction'
import { runStatement } from '../../query/run/run-statement'
import { uuidArray } from '../../storage/statement'

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

/** By creation, and by id among equals. */
export async function listNoteRows(context: RequestContext, selection: NoteSelection): Promise<NoteRow[]> {
  const { titleWords, direction, limit, offset } = selection
  const title = titleWords && (await titleCondition(context, titleWords))
  const query = controlQueriesIn(context.db.sql)
    .selectFrom('relata.notes')
    .select(COLUMNS)
    .where((column) => column.and([...conditionsOf(context, selection), ...(title ? [title] : [])]))
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
  const rows = await readRows(context, query)
  return rows.map(
    (row) => Object.fromEntries(COLUMNS.map((column, index) => [column, row[index]])) as unknown as NoteRow,
  ) // the columns in their order
}

/** With more matches, a page is found sooner in the order of the list. */
const MAX_MATCHES = 5000

/**
 * The condition that a title has these words. PostgreSQL cannot know how rare a word is, and would read all notes in their order
 * to find a rare one. So the notes with a rare word are looked up first.
 */
async function titleCondition(context: RequestContext, words: readonly string[]): Promise<Expression<SqlBool>> {
  const hasWords = sql<SqlBool>`relata.note_title_lexemes(workspace_id, title) @@ ${titleQuery(context, words)}::tsquery`
  const query = controlQueriesIn(context.db.sql).selectFrom('relata.notes').select('id').where(hasWords)
  const matches = await readRows(context, query.limit(MAX_MATCHES + 1))
  if (matches.length > MAX_MATCHES) return hasWords
  return sql<SqlBool>`id = any(${uuidArray(matches.map(([id]) => String(id)))}::uuid[])`
}

/** Words have neither quotes nor backslashes. */
const titleQuery = ({ model }: RequestContext, words: readonly string[]): string =>
  [`'${model.workspace.id}'`, ...words.map((word) => `'${word}':*`)].join(' & ')

function conditionsOf({ model }: RequestContext, selection: NoteSelection): Expression<SqlBool>[] {
  const { parentObjectId, parentRecordId, createdBy } = selection
  return [
    sql<SqlBool>`workspace_id = ${model.workspace.id}`,
    parentObjectId === undefined ? undefined : sql<SqlBool>`parent_object_id = ${parentObjectId}`,
    parentRecordId === undefined ? undefined : sql<SqlBool>`parent_record_id = ${parentRecordId}`,
    createdBy === undefined ? undefined : sql<SqlBool>`created_by = ${createdBy}`,
  ].filter((condition) => condition !== undefined)
}

/** Each run is planned for its own values and has a time limit. */
function readRows(context: RequestContext, query: Compilable): ReturnType<typeof runStatement> {
  const { sql: text, parameters } = query.compile()
  return runStatement(context, { text, parameters: parameters.map(String) })
}

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
