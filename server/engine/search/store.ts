/** The statements of search. See docs/decisions/search.md. */

import { renderArray } from '#db/connect'
import type { RequestContext } from '#context'
import type { RecordType } from '#engine/data-model/model'
import { beginningOf, timeSql } from '#engine/query/compile/label'
import { runStatement } from '#engine/query/run/run-statement'
import { storedKey } from '#engine/storage/unique-keys'
import { type Candidate, candidateColumns, candidateFrom, labelColumns } from './rank'
import { type SearchQuery, wordsOf } from './words'
import { keyAttribute, lexemesSql, type SearchFields, searchFieldsOf } from './search-fields'
import { neighbourQuery } from './tsquery'

/** A step sorts at most this many matches by age and ranks the newest of them. */
const MAX_MATCHES = 2000
export const MAX_RANKED = 250
/** Fewer when only labels are compared, because a further statement looks up the exact words. */
export const MAX_LABELS = 100

const NEWEST_FIRST = 'order by h.created_at desc, h.id desc'

const fieldsOf = (object: RecordType): SearchFields => searchFieldsOf(object, 'h')

export const findNewest = (context: RequestContext, object: RecordType, count: number): Promise<Candidate[]> =>
  findCandidates(context, object, `from ${object.table} h ${NEWEST_FIRST} limit ${count}`, [])

/** The record with this id, and the one with this key. */
export function findByKey(context: RequestContext, object: RecordType, id: string | null, key: string | undefined) {
  const attribute = keyAttribute(object)
  const conditions = [
    ...(id === null ? [] : [{ sql: 'h.id = $1::uuid', parameter: id }]),
    ...(key === undefined || !attribute ? [] : [{ sql: hasKey(context, attribute.number), parameter: storedKey(key) }]),
  ]
  return Promise.all(
    conditions.map(({ sql, parameter }) =>
      findCandidates(context, object, `from ${object.table} h where ${sql}`, [parameter]),
    ),
  )
}

const hasKey = ({ model }: RequestContext, attribute: number): string =>
  `h.id = (select entity_id from ${model.schema}.uniques where attribute = ${attribute} and key = $1)`

/** Finds the records that match a `tsquery`, by the search index. */
export const findMatching = (context: RequestContext, object: RecordType, tsquery: string): Promise<Candidate[]> =>
  matchingIn(context, object, `${object.table} h`, tsquery)

/** Finds those of the newest `count` records that match a `tsquery`, without the index. */
export const findMatchingAmongNewest = (context: RequestContext, object: RecordType, tsquery: string, count: number) =>
  matchingIn(context, object, `(select * from ${object.table} h ${NEWEST_FIRST} limit ${count}) h`, tsquery)

function matchingIn(context: RequestContext, object: RecordType, rows: string, tsquery: string): Promise<Candidate[]> {
  const matching = `select h.* from ${rows} where ${matches(object, '$1')} limit ${MAX_MATCHES}`
  const newest = `select h.* from (${matching}) h ${NEWEST_FIRST} limit ${MAX_RANKED}`
  return findCandidates(context, object, `from (${newest}) h`, [tsquery])
}

/** A longer scan is cancelled. The search then returns what the other steps found. */
const MAX_SCAN_MS = 2000

/**
 * Scans the table for records that have, for each typed word, a word with this prefix in their label or keys. Records with
 * exactly the typed label come first, then the newest. Returns none when the scan takes too long. See docs/decisions/search.md.
 */
export async function scanLabelsAndKeys(
  context: RequestContext,
  object: RecordType,
  query: SearchQuery,
): Promise<Candidate[]> {
  const timeLimit = AbortSignal.timeout(MAX_SCAN_MS)
  const signal = context.signal ? AbortSignal.any([context.signal, timeLimit]) : timeLimit
  try {
    return await readCandidates({ ...context, signal }, scanSql(object), scanParameters(query), true)
  } catch (error) {
    if (timeLimit.aborted && context.signal?.aborted !== true) return []
    throw error
  }
}

/** Most rows fail the `like`, which is cheap. The regular expression checks that the match is at the start of a word. */
function scanSql(object: RecordType): string {
  const fields = fieldsOf(object)
  const text = `concat_ws(' ', left(${fields.label}, 500), array_to_string((${fields.keys})[1:100], ' '))`
  const folded = `
    select h.*, ${fields.label} as label, case when octet_length(searched) = length(searched)
      then lower(replace(searched, '''', '')) else relata.search_words(searched) end as folded
    from ${object.table} h, lateral (select ${text} as searched offset 0) t offset 0`
  const matching = `
    select h.* from (${folded}) h where folded like all($1::text[]) and folded ~ all($2::text[])
    order by lower(h.label) = $3 desc, h.created_at desc, h.id desc limit ${MAX_RANKED}`
  return `select ${candidateColumns(fields)} from (${matching}) h`
}

/** Words have no special characters of patterns, so they need no escaping. */
function scanParameters({ text, terms }: SearchQuery): string[] {
  const words = terms.map(({ word }) => word)
  return [
    renderArray(words.map((word) => `%${word}%`)),
    renderArray(words.map((word) => `(^|[^a-z0-9])${word}`)),
    text.toLowerCase(),
  ]
}

/** Finds the records that match a `tsquery`, by the search index. Selects only their labels. */
export function findByLabel(context: RequestContext, object: RecordType, tsquery: string): Promise<Candidate[]> {
  const matching = `
    select ${labelColumns(fieldsOf(object))} from ${object.table} h where ${matches(object, '$1')} limit ${MAX_MATCHES}`
  const text = `select h.id, h.created_at, h.label from (${matching}) h ${NEWEST_FIRST} limit ${MAX_LABELS}`
  return readCandidates(context, text, [tsquery])
}

/**
 * Finds those of the newest `count` records whose labels contain, for each typed word, one of its alternatives. Selects only
 * labels. Includes every label with letters that SQL does not compare.
 */
export function findNewestByLabel(
  context: RequestContext,
  object: RecordType,
  words: readonly (readonly string[])[],
  count: number,
): Promise<Candidate[]> {
  const { label } = fieldsOf(object)
  const newest = `select h.id, h.created_at, ${label} as label from ${object.table} h ${NEWEST_FIRST} limit $1::int`
  const plain = `select h.*, ${PLAIN_LABEL} as plain from (${newest}) h offset 0`
  const containsWord = words.map((_, index) => `plain like any($${index + 2}::text[])`)
  const text = `
    select ${labelColumns({ label: 'label' })} from (${plain}) h
    where octet_length(plain) <> length(plain) or (${containsWord.join(' and ')})`
  const patterns = words.map((alternatives) => renderArray(alternatives.map((word) => `%${word}%`)))
  return readCandidates(context, text, [String(count), ...patterns])
}

/** The most frequent accented letters. Each of them costs a comparison for every letter of every label. */
const ACCENTED = 'áàâãäåçčćéèêëěíìîïłñńóòôõöøřśšúùûüůýžżÁÅČÉÍÓÖØŁŠÚÜŽ'
const UNACCENTED = [...ACCENTED].flatMap(wordsOf).join('')

/** The label as `relata.search_words` returns it, except that separators and rarer accents stay. */
const PLAIN_LABEL = `
  lower(case when octet_length(label) = length(label) and strpos(label, '''') = 0 then label
    else translate(label, '${ACCENTED}''', '${UNACCENTED}') end collate "C")`

/** Returns those of the words that a record has, as `neighbourQuery` matches them. */
export async function findExistingWords(
  context: RequestContext,
  object: RecordType,
  words: readonly string[],
): Promise<string[]> {
  // One index scan for each word, which ends at the first match. One scan for all words would list all matches.
  const text = `
    select position from json_array_elements_text($1::text::json) with ordinality as neighbour(query, position),
      lateral (select 1 from ${object.table} h where ${matches(object, 'query')} limit 1) first_match`
  const rows = await runStatement(context, { text, parameters: [JSON.stringify(words.map(neighbourQuery))] })
  return rows.flatMap(([position]) => words[Number(position) - 1] ?? [])
}

/**
 * The subselect hides the `tsquery` from the planner, which then expects few matches and uses the index. Otherwise it expects
 * many matches of each of hundreds of neighbours, and scans the table.
 */
const matches = (object: RecordType, tsquery: string): string =>
  `${lexemesSql(fieldsOf(object))} @@ (select ${tsquery}::tsquery)`

async function findCandidates(
  context: RequestContext,
  object: RecordType,
  from: string,
  parameters: readonly string[],
): Promise<Candidate[]> {
  return readCandidates(context, `select ${candidateColumns(fieldsOf(object))} ${from}`, parameters)
}

const readCandidates = async (context: RequestContext, text: string, parameters: readonly string[], isLong = false) =>
  (await runStatement(context, { text, parameters }, isLong)).map(candidateFrom)

/** The part of a hit that people see. */
export interface DisplayedRecord {
  readonly id: string
  readonly label: string | null
  readonly image: string | null
  readonly keys: readonly string[] | null
  readonly phoneNumbers: readonly string[] | null
  /** Of a record of an activity, in PostgreSQL's text form. */
  readonly time: string | null
}

export async function readDisplayed(
  context: RequestContext,
  object: RecordType,
  ids: readonly string[],
): Promise<DisplayedRecord[]> {
  const { label, image, keys, phoneNumbers } = fieldsOf(object)
  const columns = [beginningOf(label), image, keys, phoneNumbers, timeSql(object, 'h')].join(', ')
  const text = `select h.id, ${columns} from ${object.table} h where h.id = any($1::uuid[])`
  const rows = await runStatement(context, { text, parameters: [renderArray(ids)] })
  return rows.map((row) => {
    const [id, label, image, keys, phoneNumbers, time] = row as Cells // in the order of the select list
    return { id, label, image, keys, phoneNumbers, time }
  })
}

type Cells = [
  DisplayedRecord['id'],
  DisplayedRecord['label'],
  DisplayedRecord['image'],
  DisplayedRecord['keys'],
  DisplayedRecord['phoneNumbers'],
  DisplayedRecord['time'],
]
