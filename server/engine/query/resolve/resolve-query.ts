/** Resolves the body of a query: its filter, its sorts and its page. */

import type { DataModel, EntityType } from '#engine/data-model/model'
import type { Condition } from './condition'
import { parseFilter } from '#engine/query/parse/parse-filter'
import { resolveFilter } from './resolve-filter'
import { resolveSorts, type Sort } from './resolve-sort'
import { pageOf, type QueryBody } from '#engine/query/parse/schemas'

export interface Query {
  readonly condition: Condition
  readonly sorts: readonly Sort[]
  readonly limit: number
  readonly offset: number
}

/** `filter` is the filter of the body, or of the view that the body names. */
export const resolveQuery = (
  model: DataModel,
  entityType: EntityType,
  { filter = {}, sorts = [], ...page }: Omit<QueryBody, 'filter'> & { readonly filter?: unknown },
): Query => ({
  condition: resolveFilter(model, entityType, parseFilter(filter)),
  sorts: resolveSorts(model, entityType, sorts),
  ...pageOf(page),
})
