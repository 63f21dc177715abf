/**
 * The nanoseconds of timestamps. PostgreSQL's timestamps have microseconds, and the nanoseconds below are in a column of their own.
 * Where the outermost SELECT names the column of a timestamp, or has `*`, it also selects the nanoseconds, which the response
 * shows in the timestamp. See docs/decisions/sql.md.
 */

import type { Edit } from '#engine/sql/compile/edits'
import {
  isMembers,
  type Members,
  membersOf,
  namesOf,
  nodesOf,
  offsetOf,
  type Tree,
} from '#engine/sql/compile/parse/parse-text'
import { NANOSECONDS } from '#engine/sql/compile/tables/column-sql'
import { findMeaning, type Level } from './range'

export interface SelectedNanoseconds {
  readonly edits: readonly Edit[]
  /** The positions, among all columns of the result, of the timestamps whose nanoseconds come first. Negative ones count from the end. */
  readonly timestamps: readonly number[]
}

interface Outermost {
  readonly query: Members
  readonly level: Level
  /** All references in the query that are `*`. */
  readonly stars: readonly Members[]
}

/** These clauses make rows of their own from the columns. */
const CLAUSES = ['distinctClause', 'groupClause', 'havingClause', 'larg', 'valuesLists']

/** Undefined where the columns could be seen otherwise, or could not be told apart. */
export function selectNanoseconds({ query, level, stars }: Outermost): SelectedNanoseconds | undefined {
  const targets = nodesOf(query.targetList, 'ResTarget')
  const references = targets.map(({ val }) => membersOf(val, 'ColumnRef'))
  const isStar = references.map((reference) => reference !== undefined && namesOf(reference.fields).includes(undefined))
  const own = references.filter((_, index) => isStar[index])
  if (CLAUSES.some((clause) => query[clause] !== undefined) || stars.some((star) => !own.includes(star)))
    return undefined
  if (mergesTimestamps(query.fromClause, level)) return undefined
  const positions = positionsIn(query)
  const [first, last] = [isStar.indexOf(true), isStar.lastIndexOf(true)]
  // Behind `*` of several tables, the position of a column would be another one.
  if (positions.length > 0 && first >= 0)
    return level.length === 1 && first === targets.length - 1 ? { edits: [], timestamps: [] } : undefined
  const selected = references.flatMap((reference, index) => {
    const isCounted = first < 0 || index < first || index > last
    const column = reference === undefined || !isCounted ? undefined : nanosecondsOf(reference, level)
    return column === undefined ? [] : [{ column, index }]
  })
  const offset = targets[0] === undefined ? null : offsetOf(targets[0])
  if (selected.length === 0 || offset === null) return { edits: [], timestamps: [] }
  const list = selected.map(({ column }, index) => `${column} as "${NANOSECONDS}${index}", `)
  return {
    edits: [{ start: offset, end: offset, text: list.join('') }, ...positions.map(shiftBy(selected.length))],
    timestamps: selected.map(({ index }) =>
      first < 0 || index < first ? selected.length + index : index - targets.length,
    ),
  }
}

/** The SQL of the nanoseconds of a column, undefined if it is no timestamp of a table. */
function nanosecondsOf(reference: Members, level: Level): string | undefined {
  const names = namesOf(reference.fields)
  const [name = ''] = names
  const isOf = level.filter(({ table }) => table?.columns.has(name))
  const isKnown = level.every(({ table }) => table !== null)
  const item =
    names.length === 1 ? (isKnown && isOf.length === 1 ? isOf[0] : undefined) : findMeaning([level], names)?.item
  const column = item?.table?.columns.get(names.at(-1) ?? '')
  if (item == null || column?.nanoseconds === undefined) return undefined
  return `"${item.name.replaceAll('"', '""')}"."${column.nanoseconds}"`
}

/** Whether a join merges columns that may be timestamps. */
function mergesTimestamps(from: Tree, level: Level): boolean {
  return nodesOf(from, 'JoinExpr').some(({ larg, rarg, usingClause }) => {
    const isTimestamp = (name = '') => level.some(({ table }) => table?.columns.get(name)?.nanoseconds !== undefined)
    return namesOf(usingClause).some(isTimestamp) || mergesTimestamps([larg, rarg], level)
  })
}

interface Position {
  readonly offset: number
  readonly number: number
}

/** The numbers in ORDER BY, which are positions of columns. */
const positionsIn = (query: Members): Position[] =>
  nodesOf(query.sortClause, 'SortBy').flatMap(({ node }) => {
    const constant = membersOf(node, 'A_Const')
    const offset = constant === undefined ? null : offsetOf(constant)
    return isMembers(constant?.ival) && offset !== null ? [{ offset, number: Number(constant.ival.ival ?? 0) }] : []
  })

const shiftBy =
  (count: number) =>
  ({ offset, number }: Position): Edit => ({
    start: offset,
    end: offset + String(number).length,
    text: String(number + count),
  })
