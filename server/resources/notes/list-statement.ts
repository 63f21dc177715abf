/**
 * The statements of lists of notes. They are texts, because building them with Kysely takes longer than sending them.
 * Decision 0084.
 */

import { renderArray } from '../../../db/connect'
import type { RequestContext } from '../../context'
import { readStatement } from '../../query/run/run-statement'
import type { Row } from '../../storage/layout'
import { NOTE_COLUMNS, type NoteRow } from './store'

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

/** Ordered by time of creation, then by id. */
export async function listNoteRows(context: RequestContext, selection: NoteSelection): Promise<NoteRow[]> {
  const { titleWords } = selection
  if (titleWords === undefined) return readPage(context, selection)
  const words = titleQuery(context, titleWords)
  return (await searchFirstNotes(context, selection, words)) ?? searchAllNotes(context, selection, words)
}

const COLUMNS = NOTE_COLUMNS.join(', ')
const hasWords = (words: string): string => `relata.note_title_lexemes(workspace_id, title) @@ ${words}::tsquery`

/** Appends an operand to the parameters of a statement and returns its placeholder. */
type AddParameter = (operand: string | number) => string

const parametersOf = () => {
  const parameters: string[] = []
  const add: AddParameter = (operand) => `$${parameters.push(String(operand))}`
  return { parameters, add }
}

function readPage(
  context: RequestContext,
  selection: NoteSelection,
  titleCondition?: (add: AddParameter) => string,
): Promise<NoteRow[]> {
  const { parameters, add } = parametersOf()
  const conditions = conditionsOf(context, selection, add)
  if (titleCondition) conditions.push(titleCondition(add))
  const text = `select ${COLUMNS} from relata.notes where ${conditions.join(' and ')} ${sliceOf(selection, add)}`
  return readStatement(context, { text, parameters }, readRow, false)
}

function conditionsOf({ model }: RequestContext, selection: NoteSelection, add: AddParameter): string[] {
  const { parentObjectId, parentRecordId, createdBy } = selection
  const conditions = [`workspace_id = ${add(model.workspace.id)}`]
  if (parentObjectId !== undefined) conditions.push(`parent_object_id = ${add(parentObjectId)}`)
  if (parentRecordId !== undefined) conditions.push(`parent_record_id = ${add(parentRecordId)}`)
  if (createdBy !== undefined) conditions.push(`created_by = ${add(createdBy)}`)
  return conditions
}

const orderOf = ({ direction }: NoteSelection): string => `order by created_at ${direction}, id ${direction}`

const sliceOf = (selection: NoteSelection, add: AddParameter): string =>
  `${orderOf(selection)} limit ${add(selection.limit)} offset ${add(selection.offset)}`

const FIRST_NOTES = 300

/**
 * Searches the first notes of the list. They have a page of a common word, whose matches the index of titles would all collect,
 * and are all notes of most records. Returns undefined when later notes may belong to the page.
 */
async function searchFirstNotes(
  context: RequestContext,
  selection: NoteSelection,
  words: string,
): Promise<NoteRow[] | undefined> {
  const { parameters, add } = parametersOf()
  const text = `
    with first as materialized (
      select workspace_id, ${COLUMNS} from relata.notes where ${conditionsOf(context, selection, add).join(' and ')}
      ${orderOf(selection)} limit ${FIRST_NOTES}
    )
    select ${COLUMNS}, searched.count from (select count(*)::int as count from first) searched
    left join (select * from first where ${hasWords(add(words))} ${sliceOf(selection, add)}) page on true
    ${orderOf(selection)}`
  const rows = await readStatement(context, { text, parameters }, (row) => row, false)
  const areAllSearched = Number(rows[0]?.at(-1)) < FIRST_NOTES
  const page = rows.filter(([id]) => id !== null)
  return page.length === selection.limit || areAllSearched ? page.map(readRow) : undefined
}

/** With more matches, reading the notes in the order of the list finds a page sooner. */
const MAX_MATCHES = 5000

const MATCHES = `select id from relata.notes where ${hasWords('$1')} limit ${MAX_MATCHES + 1}`

/**
 * PostgreSQL cannot know how rare a word is, and would read all notes in their order to find a rare one. So the notes with a
 * rare word are looked up first.
 */
async function searchAllNotes(context: RequestContext, selection: NoteSelection, words: string): Promise<NoteRow[]> {
  const matches = await readStatement(context, { text: MATCHES, parameters: [words] }, ([id]) => String(id), false)
  return readPage(context, selection, (add) =>
    matches.length > MAX_MATCHES ? hasWords(add(words)) : `id = any(${add(renderArray(matches))}::uuid[])`,
  )
}

/** Words have neither quotes nor backslashes. */
const titleQuery = ({ model }: RequestContext, words: readonly string[]): string =>
  [`'${model.workspace.id}'`, ...words.map((word) => `'${word}':*`)].join(' & ')

const readRow = (row: Row): NoteRow =>
  Object.fromEntries(NOTE_COLUMNS.map((column, index) => [column, row[index]])) as unknown as NoteRow // the columns in their order
