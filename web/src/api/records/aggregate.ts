/** Aggregates over everything that a filter finds, and its number by group. */

import type { AggregateAnswer, AggregateFunction } from '#engine/query/aggregate/schemas'
import type { EntityTypePath } from '../data-model/attributes'
import { api } from '../client'
import { TIME_ZONE } from '../../values/local-time'
import { entitiesPath, type Filter } from './entities'

export type { AggregateFunction }

/** The groups are the largest first. */
export type Aggregates = AggregateAnswer['data']

export interface AggregateQuery {
  readonly filter?: Filter
  readonly aggregates?: readonly { readonly attribute: string; readonly function: AggregateFunction }[]
  /** The slug of a select, status, actor or reference attribute. */
  readonly group_by?: string
}

export const aggregateEntities = async (
  entityType: EntityTypePath,
  body: AggregateQuery,
  signal?: AbortSignal,
): Promise<Aggregates> =>
  (
    await api.post<AggregateAnswer>(`${entitiesPath(entityType)}/aggregate`, {
      body: { time_zone: TIME_ZONE, ...body },
      signal,
    })
  ).data
