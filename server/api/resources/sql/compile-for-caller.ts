/** Compiles a query with the tables that the caller may read. See docs/reference/sql.md (Tables). */

import { visibleLists } from '#access/list-access/list-access'
import type { ApiContext } from '#context'
import { enabledObjects } from '#engine/data-model/find'
import { sqlError } from '#base/errors/queries'
import { includesScope, type Scope } from '#vocabulary/scopes'
import { requireAllScopes } from '#base/errors/access'
import { type CompiledSql, compileSql } from '#engine/sql/compile/compile-sql'
import { SqlRefused } from '#engine/sql/compile/source-text'

const LIST_SCOPES: readonly Scope[] = ['list_entry:read', 'list_configuration:read']

/** Throws 400 for a text that is refused, and 403 for one that only lacks the scopes of lists. */
export function compileForCaller(context: ApiContext, text: string, parameterCount: number): CompiledSql {
  const { model, scopes } = context
  const objects = enabledObjects(model)
  const withLists = { model, entityTypes: [...objects, ...visibleLists(context)] }
  const mayReadLists = LIST_SCOPES.every((scope) => includesScope(scopes, scope))
  try {
    return compileSql(mayReadLists ? withLists : { model, entityTypes: objects }, text, parameterCount, true)
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error
    if (!mayReadLists && canCompile(() => compileSql(withLists, text, parameterCount)))
      requireAllScopes(scopes, LIST_SCOPES)
    throw sqlError(error.message, error)
  }
}

function canCompile(compile: () => CompiledSql): boolean {
  try {
    return compile().entityTypes.some(({ kind }) => kind === 'list')
  } catch (error) {
    if (error instanceof SqlRefused) return false
    throw error
  }
}
