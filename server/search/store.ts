/** Search's statements. Where an index is looked into, more records may match than are worth ranking. Decision 0031. */

import type { RequestContext } from '../context'
import type { ObjectType } from '../data-model/model'
import { runStatement } from '../query/run/run-statement'
import { storedKey } from '../storage/unique-keys'
import { type Candidate, candidateColumns, candidateFrom, labelColumns } from './candidate'
import type { SearchQuery } from './read-query'
import { keyAttribute, type Searched, searchedOf, tokensSql } from './searched'
import { nearWord } from './tsquery'
import { wordsOf } from './words'

/** So many matches are put in order of their age, and the newest of them ranked. */
const MOST_MATCHES = 2000
export const MOST_RANKED = 250
/** Fewer when only labels are compared: what is best of them is told apart by the very words, which are looked for as well. */
export const MOST_LABELS = 100

const NEWEST_FIRST = 'order by h.created_at desc, h.id desc'

const ofObject = (object: ObjectType): Searched => searchedOf(object, 'h')

export const findNewest = (context: RequestContext, object: ObjectType, count: number): Promise<Candidate[]> =>
  findCandidates(context, object, `from ${object.table} h ${NEWEST_FIRST} limit ${count}`, [])

/** The record with this id, and the one with this key. */
export function findByKey(context: RequestContext, object: ObjectType, id: string | null, key: string | undefined) {
  const attribute = keyAttribute(object)
  const conditions = [
    ...(id === null ? [] : [{ sql: 'h.id = $1::uuid', parameter: id }]),
    ...(key === undefined || !attribute ? [] : [{ sql: heldBy(context, attribute.number), parameter: storedKey(key) }]),
  ]
  return Promise.all(
    conditions.map(({ sql, parameter }) =>
      findCandidates(context, object, `from ${object.table} h where ${sql}`, [parameter]),
    ),
  )
}

const heldBy = ({ model }: RequestContext, attribute: number): string =>
  `h.id = (select entity_id from ${model.schema}.uniques where attribute = ${attribute} and key = $1)`

/** Records that meet a `tsquery`, by the index. */
export const findMatching = (context: RequestContext, object: ObjectType, tsquery: string): Promise<Candidate[]> =>
  matchingIn(context, object, `${object.table} h`, tsquery)

/** Records that meet a `tsquery`, read one by one: the newest ones alone. */
export const findMatchingAmongNewest = (context: RequestContext, object: ObjectType, tsquery: string, count: number) =>
  matchingIn(context, object, `(select * from ${object.table} h ${NEWEST_FIRST} limit ${count}) h`, tsquery)

function matchingIn(context: RequestContext, object: ObjectType, rows: string, tsquery: string): Promise<Candidate[]> {
  const matching = `select h.* from ${rows} where ${matches(object, '$1')} limit ${MOST_MATCHES}`
  const newest = `select h.* from (${matching}) h ${NEWEST_FIRST} limit ${MOST_RANKED}`
  return findCandidates(context, object, `from (${newest}) h`, [tsquery])
}

/** A scan that takes longer is given up: the search answers with what it has. */
const LONGEST_SCAN_MS = 2000

/**
 * Records that have words beginning with all those typed in their labels or keys, found without the index by reading the
 * whole table; first those with this very label, then the newest. None when that takes too long. Decision 0071.
 */
export async function scanLabelsAndKeys(
  context: RequestContext,
  object: ObjectType,
  query: SearchQuery,
): Promise<Candidate[]> {
  const timeLimit = AbortSignal.timeout(LONGEST_SCAN_MS)
  const signal = context.signal ? AbortSignal.any([context.signal, timeLimit]) : timeLimit
  try {
    return await readCandidates({ ...context, signal }, scanSql(object), scanParameters(query), true)
  } catch (error) {
    if (timeLimit.aborted && context.signal?.aborted !== true) return []
    throw error
  }
}

/** `like` is the cheap comparison that most rows fail; the regular expression asks for the beginning of a word. */
function scanSql(object: ObjectType): string {
  const searched = ofObject(object)
  const text = `concat_ws(' ', left(${searched.label}, 500), array_to_string((${searched.keys})[1:100], ' '))`
  const folded = `
    select h.*, ${searched.label} as label, case when octet_length(said) = length(said)
      then lower(replace(said, '''', '')) else relata.search_words(said) end as folded
    from ${object.table} h, lateral (select ${text} as said offset 0) t offset 0`
  const matching = `
    select h.* from (${folded}) h where folded like all($1::text[]) and folded ~ all($2::text[])
    order by lower(h.label) = $3 desc, h.created_at desc, h.id desc limit ${MOST_RANKED}`
  return `select ${candidateColumns(searched)} from (${matching}) h`
}

/** Words hold neither separators nor signs, so nothing in them can be part of a pattern. */
function scanParameters({ text, terms }: SearchQuery): string[] {
  const arrayOf = (parts: readonly string[]) => `{${parts.map((part) => `"${part}"`).join(',')}}`
  const words = terms.map(({ word }) => word)
  return [
    arrayOf(words.map((word) => `%${word}%`)),
    arrayOf(words.map((word) => `(^|[^a-z0-9])${word}`)),
    text.toLowerCase(),
  ]
}

/** Records whose labels meet a `tsquery`, by the index; to be compared by their labels alone. */
export function findLabelled(context: RequestContext, object: ObjectType, tsquery: string): Promise<Candidate[]> {
  const matching = `
    select ${labelColumns(ofObject(object))} from ${object.table} h where ${matches(object, '$1')} limit ${MOST_MATCHES}`
  const text = `select h.id, h.created_at, h.label from (${matching}) h ${NEWEST_FIRST} limit ${MOST_LABELS}`
  return readCandidates(context, text, [tsquery])
}

/**
 * Of the newest `count` records those whose labels have, for each word typed, one of the parts that it may be; to be
 * compared by their labels alone. Labels whose letters cannot be compared here are all given.
 */
export function findNewestLabelled(
  context: RequestContext,
  object: ObjectType,
  parts: readonly (readonly string[])[],
  count: number,
): Promise<Candidate[]> {
  const { label } = ofObject(object)
  const newest = `select h.id, h.created_at, ${label} as label from ${object.table} h ${NEWEST_FIRST} limit $1::int`
  const plain = `select h.*, ${PLAIN_LABEL} as plain from (${newest}) h offset 0`
  const hasParts = parts.map((_, index) => `plain like any($${index + 2}::text[])`)
  const text = `
    select ${labelColumns({ label: 'label' })} from (${plain}) h
    where octet_length(plain) <> length(plain) or (${hasParts.join(' and ')})`
  const patterns = parts.map((each) => `{${each.map((part) => `"%${part}%"`).join(',')}}`)
  return readCandidates(context, text, [String(count), ...patterns])
}

/** The most frequent of them: each costs a comparison for every letter of every label. */
const ACCENTED = 'áàâãäåçčćéèêëěíìîïłñńóòôõöøřśšúùûüůýžżÁÅČÉÍÓÖØŁŠÚÜŽ'
const WITHOUT = [...ACCENTED].flatMap(wordsOf).join('')

/** As `relata.search_words` makes it, but for rarer letters than these, and signs. */
const PLAIN_LABEL = `
  lower(case when octet_length(label) = length(label) and strpos(label, '''') = 0 then label
    else translate(label, '${ACCENTED}''', '${WITHOUT}') end collate "C")`

/** Which of the words any record has, as `nearWord` asks for them. */
export async function findKnown(
  context: RequestContext,
  object: ObjectType,
  words: readonly string[],
): Promise<string[]> {
  // One look into the index each; several together would list all that meet any of them.
  const text = `
    select place from json_array_elements_text($1::text::json) with ordinality as asked(part, place),
      lateral (select 1 from ${object.table} h where ${matches(object, 'part')} limit 1) one`
  const rows = await runStatement(context, { text, parameters: [JSON.stringify(words.map(nearWord))] })
  return rows.flatMap(([accessor]) => words[Number(accessor) - 1] ?? [])
}

/**
 * In a subselect the planner takes a match for rare and uses the index. It would look at the query itself, take each of
 * hundreds of neighbours for common, and read the whole table.
 */
const matches = (object: ObjectType, tsquery: string): string =>
  `${tokensSql(ofObject(object))} @@ (select ${tsquery}::tsquery)`

async function findCandidates(
  context: RequestContext,
  object: ObjectType,
  from: string,
  parameters: readonly string[],
): Promise<Candidate[]> {
  return readCandidates(context, `select ${candidateColumns(ofObject(object))} ${from}`, parameters)
}

const readCandidates = async (context: RequestContext, text: string, parameters: readonly string[], isLong = false) =>
  (await runStatement(context, { text, parameters }, isLong)).map(candidateFrom)

/** What is shown of a record that was found. */
export interface Shown {
  readonly id: string
  readonly label: string | null
  readonly image: string | null
  readonly keys: readonly string[] | null
  readonly phoneNumbers: readonly string[] | null
}

export async function readShown(context: RequestContext, object: ObjectType, ids: readonly string[]): Promise<Shown[]> {
  const { label, image, keys, phoneNumbers } = ofObject(object)
  const text = `select h.id, ${label}, ${image}, ${keys}, ${phoneNumbers} from ${object.table} h where h.id = any($1::uuid[])`
  const rows = await runStatement(context, { text, parameters: [`{${ids.join(',')}}`] })
  return rows.map((row) => {
    const [id, label, image, keys, phoneNumbers] = row as Cells // in the order above
    return { id, label, image, keys, phoneNumbers }
  })
}

type Cells = [Shown['id'], Shown['label'], Shown['image'], Shown['keys'], Shown['phoneNumbers']]
