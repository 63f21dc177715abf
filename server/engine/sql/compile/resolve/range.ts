/** What a part of a query can name: the tables, subqueries and functions after FROM, level by level. */

import type { SqlTable } from '#engine/sql/compile/tables/tables'

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
export interface Meaning {
  /** The number of leading parts to remove: the schema of a table, which its alias replaces. */
  readonly dropped: number
  /** The number of leading parts, the dropped ones included, that name a column. The others are fields of it. */
  readonly columnParts: number
  /** The item whose row or column it is, if the name decides it. */
  readonly item: RangeItem | null
}

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
export const hasUnknownColumns = (levels: readonly Level[]): boolean =>
  levels.some((level) => level.some(({ table }) => table === null))
