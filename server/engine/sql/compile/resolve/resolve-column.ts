/** Resolves one reference to a column. Unknown names get PostgreSQL's message and the nearest name. */

import { findClosest } from '#base/text/find-closest'
import type { Edit } from '#engine/sql/compile/edits'
import { findParts } from '#engine/sql/compile/parse/identifiers'
import { FIELDS } from '#engine/sql/compile/check/names'
import { findMeaning, hasUnknownColumns, type Level, type Meaning } from './range'
import { type Members, namesOf, offsetOf, type SourceText } from '#engine/sql/compile/parse/parse-text'

export interface ReferenceWalk {
  readonly source: SourceText
  readonly edits: Edit[]
  readonly usage: { all: boolean; rows: boolean; readonly names: Set<string>; readonly whole: Set<string> }
  /** The references that are `*`. */
  readonly stars: Members[]
  /** Names that ORDER BY and GROUP BY may name beside columns. */
  readonly outputs: ReadonlySet<string>
}

/** Parts of a name; undefined is `*`. */
type Names = readonly (string | undefined)[]

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
