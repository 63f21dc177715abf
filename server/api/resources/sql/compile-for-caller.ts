/** Compiles a query with the tables that the caller may read. See docs/reference/sql.md (Tables). */

import { visibleLists } from '#access/list-access/list-access'
import type { ApiContext } from '#context'
import { activityTypes, enabledObjects } from '#engine/data-model/find'
import type { EntityType } from '#engine/data-model/model'
import { sqlError } from '#base/errors/queries'
import { ACTIVITY_RECORD_SCOPES, includesScope, type Scope } from '#vocabulary/scopes'
import { requireAllScopes } from '#base/errors/access'
import { type CompiledSql, compileSql } from '#engine/sql/compile/compile-sql'
import { SqlRefused } from '#engine/sql/compile/source-text'

/** The scopes that tables need beside those of the route. */
const SCOPES: Readonly<Record<EntityType['kind'], readonly Scope[]>> = {
  object: [],
  list: ['list_entry:read', 'list_configuration:read'],
  activity: ACTIVITY_RECORD_SCOPES.read,
}

/** Throws 400 for a text that is refused, and 403 for one that only lacks the scopes of lists or activities. */
export function compileForCaller(context: ApiContext, text: string, parameterCount: number): CompiledSql {
  const { model, scopes } = context
  const all = [...enabledObjects(model), ...visibleLists(context), ...activityTypes(model)]
  const readable = all.filter(({ kind }) => SCOPES[kind].every((scope) => includesScope(scopes, scope)))
  try {
    return compileSql({ model, entityTypes: readable }, text, parameterCount, true)
  } catch (error) {
    if (!(error instanceof SqlRefused)) throw error
    if (readable.length < all.length)
      requireAllScopes(
        scopes,
        lackedScopes(() => compileSql({ model, entityTypes: all }, text, parameterCount)),
      )
    throw sqlError(error.message, error)
  }
}

/** The scopes of the tables that a text names; none for a text that is refused with all tables. */
function lackedScopes(compile: () => CompiledSql): readonly Scope[] {
  try {
    return [...new Set(compile().entityTypes.flatMap(({ kind }) => SCOPES[kind]))]
  } catch (error) {
    if (error instanceof SqlRefused) return []
    throw error
  }
}
