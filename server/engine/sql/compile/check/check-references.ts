/**
 * Checks that no reference to a column is the call of a function. For `a.b`, PostgreSQL calls `b` with the row `a` when `a` has
 * no column `b`. The row of a function in FROM can be any value, such as a text; all other rows are records. The check does not
 * depend on which of several `a` is meant.
 */

import type { SourceText } from '#engine/sql/compile/parse/source-text'
import {
  isMembers,
  itemsOf,
  type Members,
  membersOf,
  namesOf,
  nodesOf,
  offsetOf,
  textOf,
  type Tree,
} from '#engine/sql/compile/parse/tree'
import { FIELDS, NAMED_RESULTS, ROW_FUNCTIONS } from './names'

/** The columns of the functions in FROM, by alias. */
type FunctionColumns = Map<string, ReadonlySet<string>[]>

/** `query`: a query in which each reference has at most a table and a column. */
export function checkReferences(source: SourceText, query: Members): void {
  const functions: FunctionColumns = new Map()
  forEachNode(query, 'RangeFunction', (members) => addFunction(functions, members))
  forEachNode(query, 'ColumnRef', (members) => {
    const [table = '', column, third] = namesOf(members.fields)
    if (itemsOf(members.fields).length > 2 || third !== undefined)
      throw source.refusal('This form of a name is not supported.', offsetOf(members))
    if (column === undefined) return
    const isColumn = (functions.get(table) ?? []).every((columns) => columns.has(column))
    if (!isColumn || ROW_FUNCTIONS.has(column))
      throw source.refusal(`column ${table}.${column} does not exist`, offsetOf(members))
  })
}

/** A function has the columns of its alias; without them, one with its alias as name, or those of its result. */
function addFunction(functions: FunctionColumns, { alias, functions: calls, coldeflist }: Members): void {
  const names = itemsOf(calls).flatMap((call) => functionNames(call))
  const aliased = isMembers(alias) ? alias : undefined
  const name = aliased ? textOf(aliased.aliasname) : (names[0] ?? '')
  const listed = namesOf(aliased?.colnames).filter((column) => column !== undefined)
  const defined = nodesOf(coldeflist, 'ColumnDef').map(({ colname }) => textOf(colname))
  const hasOtherNames = listed.length > 0 || defined.length > 0 || names.some((each) => NAMED_RESULTS.has(each))
  const own = hasOtherNames ? [] : [name]
  const columns = new Set([...FIELDS, ...names, ...listed, ...defined, ...own, 'ordinality'])
  functions.set(name, [...(functions.get(name) ?? []), columns])
}

function functionNames(call: Tree): string[] {
  const [first] = itemsOf(membersOf(call, 'List')?.items)
  return namesOf(membersOf(first, 'FuncCall')?.funcname)
    .flatMap((name) => name ?? [])
    .slice(-1)
}

function forEachNode(tree: Tree, type: string, visitNode: (members: Members) => void): void {
  if (Array.isArray(tree)) {
    for (const item of tree) forEachNode(item, type, visitNode)
    return
  }
  if (!isMembers(tree)) return
  const members = membersOf(tree, type)
  if (members) visitNode(members)
  for (const member of Object.values(tree)) forEachNode(member, type, visitNode)
}
