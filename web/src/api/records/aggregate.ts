/** Aggregates over everything that a filter finds, and its number by group. */

import type { EntityTypePath } from '../data-model/attributes'
import { api } from '../client'
import { entitiesPath, type Filter, type Value } from './entities'

export type AggregateFunction = 'count' | 'filled' | 'empty' | 'sum' | 'average' | 'min' | 'max'

export interface AggregateQuery {
  readonly filter?: Filter
  readonly aggregates?: readonly { readonly attribute: string; readonly function: AggregateFunction }[]
  /** The slug of a select, status, actor or reference attribute. */
  readonly group_by?: string
}

export interface Aggregates {
  readonly total: number
  /** In the order of the query. The value is null where there are no values. */
  readonly aggregates: readonly { readonly value: number | null }[]
  /** The largest first. The value is null for entities without one. */
  readonly groups?: readonly { readonly value: Partial<Value> | null; readonly total: number }[]
  readonly has_more_groups?: boolean
}

export const aggregateEntities = async (
  entityType: EntityTypePath,
  body: AggregateQuery,
  signal?: AbortSignal,
): Promise<Aggregates> =>
  (await api.post<{ data: Aggregates }>(`${entitiesPath(entityType)}/aggregate`, { body, signal })).data
