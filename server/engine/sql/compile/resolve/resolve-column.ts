/** Resolves one reference to a column. Unknown names get PostgreSQL's message and the nearest name. */

import { findClosest } from '#base/text/find-closest'
import { type Edit, findParts, type SourceText } from '#engine/sql/compile/source-text'
import { FIELDS } from '#engine/sql/compile/check/names'
import {
  eachMembers,
  itemsOfNode,
  type Members,
  namesOf,
  offsetOf,
  type Tree,
} from '#engine/sql/compile/parse/parse-text'
import type { SqlTable } from '#engine/sql/compile/tables/tables'

export interface ReferenceWalk {
  readonly source: SourceText
  readonly edits: Edit[]
  readonly usage: { all: boolean; rows: boolean; readonly names: Set<string>; readonly whole: Set<string> }
  /** The references that are `*`. */
  readonly stars: Members[]
  /** Names that ORDER BY and GROUP BY may name beside columns. */
  readonly outputs: ReadonlySet<string>
}

interface Reference {
  readonly names: Names
  readonly offset: number | null
}

/** `hasField`: whether the query reads a field of the column by a form that PostgreSQL accepts, `(column).field`. */
export function resolveColumn(walk: ReferenceWalk, members: Members, levels: readonly Level[], hasField = false): void {
  const reference = { names: namesOf(members.fields), offset: offsetOf(members) }
  const { names } = reference
  if (names.includes(undefined)) {
    walk.usage.all = true
    walk.stars.push(members)
  }
  for (const name of names) if (name !== undefined) walk.usage.names.add(name)
  const [first, second] = names
  if (names.length === 1) {
    if (first === undefined) return
    requireColumn(walk, reference, levels)
    if (levels.some((level) => level.some((item) => item.name === first))) walk.usage.all = walk.usage.rows = true
    if (!hasField) walk.usage.whole.add(first)
    return
  }
  const meaning = findMeaning(levels, names) ?? columnOfUnknown(levels)
  if (!meaning) throw missingTable(walk, reference, levels)
  const column = names[meaning.columnParts - 1]
  if (meaning.item === null && names.some((name, index) => index > 0 && name !== undefined && !FIELDS.has(name)))
    throw missingTable(walk, reference, levels)
  requireMeaning(walk, reference, meaning)
  if (column !== undefined && names.length === meaning.columnParts && !hasField) walk.usage.whole.add(column)
  if (names.length > meaning.columnParts && second !== undefined && names.at(-1) === undefined && column !== undefined)
    walk.usage.whole.add(column)
  editReference(walk, reference, meaning)
}

/** A name that no known column has may be a column of a subquery. */
const columnOfUnknown = (levels: readonly Level[]): Meaning | undefined =>
  hasUnknownColumns(levels) ? { dropped: 0, columnParts: 1, item: null } : undefined

function requireColumn(
  { source, outputs }: ReferenceWalk,
  { names, offset }: Reference,
  levels: readonly Level[],
): void {
  const [name = ''] = names
  const items = levels.flat()
  if (items.some(({ table }) => table === null || table.columns.has(name)) || outputs.has(name)) return
  if (items.some((item) => item.name === name)) return
  const columns = items.flatMap(({ table }) => [...(table?.columns.keys() ?? [])])
  throw source.refusal(`column "${name}" does not exist`, offset, hint(findClosest(name, columns)))
}

function requireMeaning({ source }: ReferenceWalk, { names, offset }: Reference, { item, columnParts }: Meaning): void {
  const column = names[columnParts - 1]
  const table = item?.table
  if (column !== undefined && table && !table.columns.has(column)) {
    const shown = names.slice(0, columnParts).join('.')
    throw source.refusal(`column ${shown} does not exist`, offset, hint(findClosest(column, table.columns.keys())))
  }
  const fields = table?.columns.get(column ?? '')?.fields ?? [...FIELDS]
  for (const field of names.slice(columnParts)) {
    if (field === undefined || FIELDS.has(field)) continue
    throw source.refusal(
      `field "${field}" of column "${column}" does not exist`,
      offset,
      hint(findClosest(field, fields)),
    )
  }
}

function missingTable({ source }: ReferenceWalk, { names, offset }: Reference, levels: readonly Level[]) {
  const [name = ''] = names
  const items = levels.flat()
  const candidates = items.flatMap((item) => [item.name, ...(item.table?.columns.keys() ?? [])])
  const isColumn = items.some(({ table }) => table?.columns.has(name))
  if (isColumn) return source.refusal(`field "${names[1]}" of column "${name}" does not exist`, offset)
  return source.refusal(`missing FROM-clause entry for table "${name}"`, offset, hint(findClosest(name, candidates)))
}

const hint = (name: string | undefined): string | null => (name === undefined ? null : `Perhaps you meant "${name}".`)

/** Removes the schema, and puts a column of which fields are read in parentheses: `p.company.x` becomes `(p.company).x`. */
function editReference(walk: ReferenceWalk, { names, offset }: Reference, { dropped, columnParts }: Meaning): void {
  const readsField = names.length > columnParts
  if (dropped === 0 && !readsField) return
  const parts = findParts(walk.source.bytes, offset ?? 0, readsField ? columnParts : dropped + 1)
  const [first, kept, last] = [parts?.[0], parts?.[dropped], parts?.at(-1)]
  if (!first || !kept || !last) throw walk.source.refusal('This form of a name is not supported.', offset)
  walk.edits.push({ start: first.start, end: kept.start, text: readsField ? '(' : '' })
  if (readsField) walk.edits.push({ start: last.end, end: last.end, text: ')' })
}

// What a part of a query can name: the tables, subqueries and functions after FROM, level by level.

export interface RangeItem {
  /** Its name in the query: the alias, or the name of the table. */
  readonly name: string
  /** The schema that can stand before the name. Null for what has an alias. */
  readonly schema: string | null
  /** Null for subqueries, common table expressions, functions and joins, whose columns are not determined here. */
  readonly table: SqlTable | null
}

/** The items of one SELECT. */
export type Level = readonly RangeItem[]

/** What a qualified name means. */
interface Meaning {
  /** The number of leading parts to remove: the schema of a table, which its alias replaces. */
  readonly dropped: number
  /** The number of leading parts, the dropped ones included, that name a column. The others are fields of it. */
  readonly columnParts: number
  /** The item whose row or column it is, if the name decides it. */
  readonly item: RangeItem | null
}

/** Parts of a name; undefined is `*`. */
type Names = readonly (string | undefined)[]

/**
 * Finds the meaning of `a.b…` from the innermost level outwards. A name of an item comes first, as in PostgreSQL; a column of
 * that name comes next, if it has the field. `undefined` in `names` is `*`.
 */
export function findMeaning(levels: readonly Level[], names: Names): Meaning | undefined {
  for (const level of levels.toReversed()) {
    const found = findTable(level, names) ?? findColumn(level, names)
    if (found) return found
  }
  const item = levels.toReversed().flatMap((level) => level.find(({ name }) => name === names[0]) ?? [])[0]
  if (item) return { dropped: 0, columnParts: Math.min(2, names.length), item }
  return undefined
}

function findTable(level: Level, names: Names): Meaning | undefined {
  const [first, second] = names
  for (const item of level) {
    if (item.name === first && hasColumn(item, second))
      return { dropped: 0, columnParts: Math.min(2, names.length), item }
    if (item.schema === null || item.schema !== first || item.name !== second) continue
    return { dropped: 1, columnParts: Math.min(3, names.length), item }
  }
  return undefined
}

const hasColumn = ({ table }: RangeItem, name: string | undefined): boolean =>
  name === undefined || table === null || table.columns.has(name)

function findColumn(level: Level, [first = '', field]: Names): Meaning | undefined {
  const item = level.find(({ table }) => {
    const fields = table?.columns.get(first)?.fields
    return fields && (field === undefined || fields.includes(field))
  })
  return item && { dropped: 0, columnParts: 1, item }
}

/** The levels' items whose columns are not determined here. */
const hasUnknownColumns = (levels: readonly Level[]): boolean =>
  levels.some((level) => level.some(({ table }) => table === null))

// The names that the columns of a query's result can have. ORDER BY and GROUP BY may name them.

/** The names that PostgreSQL gives to results of expressions without a name. */
const OF_EXPRESSIONS = `array bool case coalesce current_date current_time current_timestamp date exists float8 greatest
  grouping int4 interval least localtime localtimestamp numeric nullif row text`.split(/\s+/)

/** May contain names that no column has: it only decides which unknown columns PostgreSQL itself reports. */
export function outputNames(query: Members): ReadonlySet<string> {
  const names = new Set(OF_EXPRESSIONS)
  addNames(names, query)
  return names
}

const addNames = (names: Set<string>, tree: Tree): void =>
  eachMembers(tree, (members) => {
    if (typeof members.name === 'string') names.add(members.name)
    const { funcname, indirection, fields, colnames, names: typeNames } = members
    const lists = [funcname, indirection, colnames, typeNames, ...(itemsOfNode(fields).length > 1 ? [fields] : [])]
    for (const list of lists) for (const name of namesOf(list)) if (name !== undefined) names.add(name)
    for (const member of Object.values(members)) addNames(names, member)
  })
