/** What a query costs and which indexes serve it, as far as its data model and form decide. */

import type { DataModel, EntityType } from '#engine/data-model/model'
import type { CompositeIndex } from '#engine/indexes/describe/composite-index'
import type { EntityTypeIndex } from '#engine/indexes/index-request'
import type { Query } from '#engine/query/resolve/resolve-query'
import { findCompositeIndex, findReadyComposite } from './composite-index'
import { costOf, isLookup } from './score'
import { findMissingIndexes } from './query-indexes'

type QueryParts = Pick<Query, 'condition' | 'sorts'>

export interface EstimatedCost {
  /** The part of the score that does not depend on the number of entities. */
  readonly cost: number
  readonly isLookup: boolean
  /** The indexes that the query lacks on a table that gets indexes over several columns, and on a smaller one. */
  large(): MissingIndexes
  small(): MissingIndexes
}

export interface MissingIndexes {
  readonly single: readonly EntityTypeIndex[]
  /** The index over several columns; undefined when it exists or none would help. */
  readonly composite: CompositeIndex | undefined
}

const NONE: MissingIndexes = { single: [], composite: undefined }

/** Sends no statement. The missing indexes are computed when they are first read. */
export function estimateCost(model: DataModel, entityType: EntityType, query: QueryParts): EstimatedCost {
  const cost = costOf(model, query)
  if (isLookup(query)) return { cost, isLookup: true, large: () => NONE, small: () => NONE }
  let large: MissingIndexes | undefined
  let small: MissingIndexes | undefined
  return {
    cost,
    isLookup: false,
    large: () => (large ??= findMissing(model, entityType, query)),
    small: () => (small ??= { single: findMissingIndexes(model, query), composite: undefined }),
  }
}

function findMissing(model: DataModel, entityType: EntityType, query: QueryParts): MissingIndexes {
  const composite = findCompositeIndex(model, entityType, query)
  const isReady = findReadyComposite(model, composite) !== undefined
  const single = findMissingIndexes(model, query, isReady ? composite?.attributes : undefined)
  return { single, composite: isReady ? undefined : composite }
}
