/** Reads notes and their lists. See docs/reference/notes.md. */

import { runOnLookupPool, renderArray, runRead } from '#db/connect'
import type { ApiContext, RequestContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { invalidQuery, readId } from '#base/errors/http'
import { noteNotFound } from '#base/errors/meetings'
import { type AnsweredNote, answerNote, findInModel, renderNote } from './render'
import { findNoteRow, type NoteRow, NOTE_COLUMNS } from './store'
import { getObject } from '#engine/data-model/find'
import { unknownMember } from '#base/errors/records'
import { JsonText } from '#api/http/response/answer'
import { JsonStream } from '#api/http/response/export-stream'
import { wordsOf } from '#engine/search/words'
import { inSlices } from '#base/timing/in-slices'
import type { NotesQuery } from './schemas'
import { hiddenObjectIds } from '#engine/data-model/access/hidden'
import { runStatement } from '#engine/query/run/run-statement'
import type { Row } from '#engine/storage/layout'
import {
  columnTexts,
  type Placeholder,
  rowAsObject,
  selectRows,
  statementsByShape,
  typedParam,
} from '#engine/storage/statement'

/** Throws 404, and 400 when the id is not a UUID. See docs/reference/notes.md (Get). */
export async function getNote(context: ApiContext, noteId: string): Promise<AnsweredNote> {
  const id = readId('Note', noteId)
  return retryOnConflict(context, async (context) => {
    const note = await runOnLookupPool(context.db, (sql) => findNoteRow(sql, context, id))
    if (!note) throw noteNotFound(noteId)
    return answerNote(context, note)
  })
}

// Lists notes. See docs/reference/notes.md (List).

/** A page with more than this many characters of content is rendered while it is sent. */
const MAX_RENDERED_AT_ONCE = 2_000_000

/** Throws 404 for the object, and 400 for a record without an object and for a member. */
export const listNotes = (context: ApiContext, query: NotesQuery): Promise<JsonText | JsonStream> =>
  retryOnConflict(context, async (context) => {
    const selection = selectionOf(context, query)
    const rows = selection.titleWords?.length === 0 ? [] : await listNoteRows(context, selection)
    const size = rows.reduce((sum, { content }) => sum + content.length, 0)
    if (size <= MAX_RENDERED_AT_ONCE) return new JsonText(await inSlices(renderPage(context, rows)))
    // A conflict is found before the response begins.
    for (const row of rows) findInModel(context, row)
    return new JsonStream(streamPage(context, rows))
  })

function* renderPage(context: ApiContext, rows: readonly NoteRow[]): Generator<void, string[]> {
  const notes: string[] = []
  for (const row of rows) notes.push(notes.length === 0 ? '' : ',', (yield* renderNote(context, row)).text)
  return ['{"data":[', ...notes, ']}']
}

/** Each piece has one note. */
async function* streamPage(context: ApiContext, rows: readonly NoteRow[]): AsyncGenerator<string, void, void> {
  let before = '{"data":['
  for (const row of rows) {
    yield before + (await inSlices(renderNote(context, row))).text
    before = ','
  }
  yield ']}'
}

function selectionOf({ model }: RequestContext, query: NotesQuery): NoteSelection {
  const { parent_object, parent_record_id, created_by, search, sort, limit = 10, offset = 0 } = query
  if (parent_record_id !== undefined && parent_object === undefined)
    throw invalidQuery([
      { code: 'invalid', path: ['parent_object'], message: 'parent_record_id requires parent_object' },
    ])
  return {
    ...(parent_object !== undefined && { parentObjectId: getObject(model, parent_object).id }),
    ...(parent_record_id !== undefined && { parentRecordId: parent_record_id.toLowerCase() }),
    ...(created_by !== undefined && { createdBy: actorOf(model, created_by) }),
    ...(search !== undefined && { titleWords: wordsOf(search) }),
    direction: sort === 'created_at:desc' ? 'desc' : 'asc',
    limit,
    offset,
  }
}

/** Suspended members are found as well. */
function actorOf({ membersById }: RequestContext['model'], memberId: string): number {
  const member = membersById.get(memberId.toLowerCase())
  if (!member) throw unknownMember(memberId)
  return member.actor
}

// The statements of lists of notes. They are texts, because building them with Kysely takes longer than sending them.
// See docs/decisions/notes.md.

interface NoteSelection {
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

/** Ordered by time of creation, then by id. */
async function listNoteRows(context: RequestContext, selection: NoteSelection): Promise<readonly NoteRow[]> {
  const { titleWords } = selection
  if (titleWords === undefined) return readRange(context, selection)
  const words = searchedWords(context, titleWords)
  return (
    (await searchFirstNotes(context, selection, words)) ??
    (await searchMatches(context, selection, words)) ??
    readPage(context, selection, words)
  )
}

const COLUMNS = NOTE_COLUMNS.join(', ')

/** Appends an operand to the parameters of a statement and returns its placeholder. */
type AddParameter = (operand: string | number) => string

const parametersOf = () => {
  const parameters: string[] = []
  const add: AddParameter = (operand) => `$${parameters.push(String(operand))}`
  return { parameters, add }
}

/** A list with a greater offset takes longer, so it has the time limit of queries. */
const MAX_SHORT_OFFSET = 1000

/**
 * Reads a page of one range of an index, whose plan is good for all records, objects and authors. All notes of a record have its
 * object, so a statement for a record has no condition on the object.
 */
async function readRange(context: RequestContext, selection: NoteSelection): Promise<readonly NoteRow[]> {
  const { parentObjectId, parentRecordId, createdBy, limit, offset } = selection
  const hasTwoRanges = parentRecordId !== undefined && createdBy !== undefined
  const isFiltered = parentObjectId === undefined && hiddenObjectIds(context.model).length > 0
  if (hasTwoRanges || isFiltered || offset > MAX_SHORT_OFFSET) return readPage(context, selection)
  const { db, model } = context
  const texts = columnTexts({ workspace: model.workspace.id, parentObjectId, parentRecordId, createdBy, limit, offset })
  const rows = await runRead(db, ({ sql }) => selectRows<NoteRow>(sql, rangeStatementOf(selection), texts))
  return parentRecordId === undefined ? rows : rows.filter((row) => row.parent_object_id === parentObjectId)
}

const rangeStatementOf = statementsByShape(shapeOf, rangeTextOf)

function shapeOf({ direction, parentObjectId, parentRecordId, createdBy }: NoteSelection): string {
  return [direction, ...[parentObjectId, parentRecordId, createdBy].map((member) => member !== undefined)].join()
}

function rangeTextOf(param: Placeholder, selection: NoteSelection): string {
  const { parentObjectId, parentRecordId, createdBy } = selection
  const of = (name: keyof NoteSelection | 'workspace', type: string) => typedParam(param, name, type)
  const conditions = [`workspace_id = ${of('workspace', 'uuid')}`]
  if (parentRecordId !== undefined) conditions.push(`parent_record_id = ${of('parentRecordId', 'uuid')}`)
  else if (parentObjectId !== undefined) conditions.push(`parent_object_id = ${of('parentObjectId', 'uuid')}`)
  if (createdBy !== undefined) conditions.push(`created_by = ${of('createdBy', 'int')}`)
  return `select ${COLUMNS} from relata.notes where ${conditions.join(' and ')}
    ${orderOf(selection)} limit ${of('limit', 'bigint')} offset ${of('offset', 'bigint')}`
}

/** Reads the notes in their order until the page is full. */
async function readPage(context: RequestContext, selection: NoteSelection, words?: SearchedWords): Promise<NoteRow[]> {
  const { parameters, add } = parametersOf()
  const conditions = conditionsOf(context, selection, add)
  if (words) conditions.push(hasWords(words, add))
  const text = `select ${COLUMNS} from relata.notes where ${conditions.join(' and ')} ${sliceOf(selection, add)}`
  return (await runStatement(context, { text, parameters })).map(readRow)
}

function conditionsOf({ model }: RequestContext, selection: NoteSelection, add: AddParameter): string[] {
  const { parentObjectId, parentRecordId, createdBy } = selection
  const conditions = [`workspace_id = ${add(model.workspace.id)}`]
  if (parentObjectId !== undefined) conditions.push(`parent_object_id = ${add(parentObjectId)}`)
  if (parentRecordId !== undefined) conditions.push(`parent_record_id = ${add(parentRecordId)}`)
  if (createdBy !== undefined) conditions.push(`created_by = ${add(createdBy)}`)
  const hidden = parentObjectId === undefined ? hiddenObjectIds(model) : []
  if (hidden.length > 0) conditions.push(`parent_object_id <> all(${add(renderArray(hidden))}::uuid[])`)
  return conditions
}

const orderOf = ({ direction }: NoteSelection): string => `order by created_at ${direction}, id ${direction}`

const sliceOf = (selection: NoteSelection, add: AddParameter): string =>
  `${orderOf(selection)} limit ${add(selection.limit)} offset ${add(selection.offset)}`

/** The words of a search, as operands. */
interface SearchedWords {
  /** A `tsquery` for the index of titles. */
  readonly query: string
  /** An array of patterns, all of which an ASCII title with the words matches. */
  readonly patterns: string
}

/** Words have no special characters of a `tsquery` or of patterns. */
const searchedWords = ({ model }: RequestContext, words: readonly string[]): SearchedWords => ({
  query: words.map((word) => `'${model.workspace.id}${word}':*`).join(' & '),
  patterns: renderArray(words.map((word) => `%${word}%`)),
})

const isMatch = (query: string): string => `relata.note_title_lexemes(workspace_id, title) @@ ${query}::tsquery`

/** For notes that are read in their order. Most titles fail the patterns, which cost less than the words of a title. */
const hasWords = ({ query, patterns }: SearchedWords, add: AddParameter): string =>
  `(octet_length(title) > length(title) or lower(replace(title, '''', '')) like all(${add(patterns)}::text[]))
    and ${isMatch(add(query))}`

/** Runs a statement whose rows have a number behind the columns of a note. */
async function readWithNumber(
  context: RequestContext,
  text: string,
  parameters: readonly string[],
): Promise<{ readonly number: number; readonly page: NoteRow[] }> {
  const rows = await runStatement(context, { text, parameters })
  return { number: Number(rows[0]?.at(-1)), page: rows.filter(([id]) => id !== null).map(readRow) }
}

const FIRST_NOTES = 300

/**
 * Searches the first notes of the list. They have a page of a common word, whose matches the index of titles would all collect,
 * and are all notes of most records. Returns undefined when later notes may belong to the page.
 */
async function searchFirstNotes(
  context: RequestContext,
  selection: NoteSelection,
  words: SearchedWords,
): Promise<NoteRow[] | undefined> {
  const { parameters, add } = parametersOf()
  const text = `
    with first as materialized (
      select workspace_id, ${COLUMNS} from relata.notes where ${conditionsOf(context, selection, add).join(' and ')}
      ${orderOf(selection)} limit ${FIRST_NOTES}
    )
    select ${COLUMNS}, searched.count from (select count(*)::int as count from first) searched
    left join (select * from first where ${hasWords(words, add)} ${sliceOf(selection, add)}) page on true
    ${orderOf(selection)}`
  const { number, page } = await readWithNumber(context, text, parameters)
  return page.length === selection.limit || number < FIRST_NOTES ? page : undefined
}

/** With more matches, reading the notes in the order of the list finds a page sooner. */
const MAX_MATCHES = 5000

/**
 * Collects the matches from the index of titles, and reads the notes of the page. PostgreSQL cannot know how rare a word is, and
 * would read all notes in their order to find a rare one. Returns undefined when there are more than `MAX_MATCHES`.
 */
async function searchMatches(
  context: RequestContext,
  selection: NoteSelection,
  { query }: SearchedWords,
): Promise<NoteRow[] | undefined> {
  const { parameters, add } = parametersOf()
  const text = `
    with matches as materialized (
      select workspace_id, id, parent_object_id, parent_record_id, created_by, created_at from relata.notes
      where ${isMatch(add(query))} limit ${MAX_MATCHES + 1}
    ), page as (
      select id as page_id from matches where ${conditionsOf(context, selection, add).join(' and ')} ${sliceOf(selection, add)}
    )
    select ${COLUMNS}, found.count from (select count(*)::int as count from matches) found
    left join (page join relata.notes on workspace_id = ${add(context.model.workspace.id)} and id = page_id) on true
    ${orderOf(selection)}`
  const { number, page } = await readWithNumber(context, text, parameters)
  return number > MAX_MATCHES ? undefined : page
}

const readRow = (row: Row): NoteRow => rowAsObject<NoteRow>(row, NOTE_COLUMNS)
