/** The names in the conditions of a query: those after WHERE and ON. */

import { isMembers, type Members, membersOf, namesOf, type Tree } from '#engine/sql/compile/parse/tree'

const CONDITIONS: ReadonlySet<string> = new Set(['whereClause', 'quals'])

export function conditionNames(query: Members): ReadonlySet<string> {
  const names = new Set<string>()
  addNames(names, query, false)
  return names
}

function addNames(names: Set<string>, tree: Tree, isCondition: boolean): void {
  if (Array.isArray(tree)) {
    for (const item of tree) addNames(names, item, isCondition)
    return
  }
  if (!isMembers(tree)) return
  const column = isCondition ? membersOf(tree, 'ColumnRef') : undefined
  for (const name of namesOf(column?.fields)) if (name !== undefined) names.add(name)
  for (const [name, member] of Object.entries(tree)) addNames(names, member, isCondition || CONDITIONS.has(name))
}
