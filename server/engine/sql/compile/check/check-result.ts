/**
 * Checks the text that is sent, after all edits: one query whose first common table expressions are the service's, and that
 * names no other table than common table expressions in scope.
 */

import { checkReferences } from './check-references'
import { checkTree } from './check-tree'
import type { EditedText } from '#engine/sql/compile/edits'
import { parseOneQuery } from '#engine/sql/compile/parse/parse-text'
import { createSourceText } from '#engine/sql/compile/parse/source-text'
import { SqlRefused } from '#engine/sql/compile/sql-refused'
import { isMembers, itemsOf, type Members, membersOf, nodesOf, textOf, type Tree } from '#engine/sql/compile/parse/tree'

interface Result {
  readonly edited: EditedText
  /** The names of the service's common table expressions, in their order. */
  readonly ctes: readonly string[]
  readonly parameterCount: number
}

export function checkResult({ edited, ctes, parameterCount }: Result): void {
  try {
    checkText(edited.text, ctes, parameterCount)
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error
    const { message, position, hint } = error
    throw new SqlRefused(message, position === null ? null : edited.toCallerPosition(position), hint)
  }
}

function checkText(text: string, ctes: readonly string[], parameterCount: number): void {
  const { source, query } = parseOneQuery(createSourceText(text))
  const own = itemsOf(isMembers(query.withClause) ? query.withClause.ctes : [])
  if (ctes.some((name, index) => textOf(membersOf(own[index], 'CommonTableExpr')?.ctename) !== name)) throw unexpected()
  const rest = own.slice(ctes.length)
  const { withClause, ...members } = query
  const callers: Members =
    rest.length === 0 || !isMembers(withClause) ? members : { ...members, withClause: { ...withClause, ctes: rest } }
  checkTree(source, callers, parameterCount)
  checkReferences(source, callers)
  requireExpressions(callers, new Set(ctes))
}

function requireExpressions(tree: Tree, outer: ReadonlySet<string>): void {
  if (Array.isArray(tree)) {
    for (const item of tree) requireExpressions(item, outer)
    return
  }
  if (!isMembers(tree)) return
  const table = membersOf(tree, 'RangeVar')
  if (table && (table.schemaname !== undefined || !outer.has(textOf(table.relname)))) throw unexpected()
  const names = withNames(tree.withClause, outer)
  for (const [name, member] of Object.entries(tree)) if (name !== 'withClause') requireExpressions(member, names)
}

/** Checks the expressions of WITH, and returns the names in scope behind it. */
function withNames(clause: Tree, outer: ReadonlySet<string>): ReadonlySet<string> {
  if (!isMembers(clause)) return outer
  const names = new Set(outer)
  const expressions = nodesOf(clause.ctes, 'CommonTableExpr')
  if (clause.recursive === true) for (const { ctename } of expressions) names.add(textOf(ctename))
  for (const { ctename, ctequery } of expressions) {
    requireExpressions(ctequery, new Set(names))
    names.add(textOf(ctename))
  }
  return names
}

const unexpected = () => new SqlRefused('This form of query is not supported.')
