/** The names that the columns of a query's result can have. ORDER BY and GROUP BY may name them. */

import { isMembers, itemsOfNode, type Members, namesOf, type Tree } from '#engine/sql/compile/parse/parse-text'

/** The names that PostgreSQL gives to results of expressions without a name. */
const OF_EXPRESSIONS = `array bool case coalesce current_date current_time current_timestamp date exists float8 greatest
  grouping int4 interval least localtime localtimestamp numeric nullif row text`.split(/\s+/)

/** May contain names that no column has: it only decides which unknown columns PostgreSQL itself reports. */
export function outputNames(query: Members): ReadonlySet<string> {
  const names = new Set(OF_EXPRESSIONS)
  addNames(names, query)
  return names
}

function addNames(names: Set<string>, tree: Tree): void {
  if (Array.isArray(tree)) {
    for (const item of tree) addNames(names, item)
    return
  }
  if (!isMembers(tree)) return
  if (typeof tree.name === 'string') names.add(tree.name)
  const { funcname, indirection, fields, colnames, names: typeNames } = tree
  const lists = [funcname, indirection, colnames, typeNames, ...(itemsOfNode(fields).length > 1 ? [fields] : [])]
  for (const list of lists) for (const name of namesOf(list)) if (name !== undefined) names.add(name)
  for (const member of Object.values(tree)) addNames(names, member)
}
