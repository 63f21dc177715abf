/** Aggregates over everything that a filter finds, and its number by group. */

import type {
  AggregateAnswer,
  AggregateFunction,
  PathAggregateInput,
  PathGroupInput,
  StatusHistoryAnswer,
  StatusHistoryBody,
} from '#engine/query/aggregate/schemas'
import type { Attribute, EntityTypePath } from '../data-model/attributes'
import { api } from '../client'
import { TIME_ZONE } from '../../values/local-time'
import { entitiesPath, type Filter } from './entities'
import { referencePath } from './referenced-values'

export type { AggregateFunction }

/** The groups are the largest first. */
export type Aggregates = AggregateAnswer['data']

export interface AggregateQuery {
  readonly filter?: Filter
  readonly aggregates?: readonly PathAggregateInput[]
  readonly group_by?: PathGroupInput
  readonly split_by?: PathGroupInput
}

/** How aggregates and groups name a column: an attribute of the entities, or the path to one of referenced records. */
export function aggregatedAs(entityType: EntityTypePath, { api_slug, id }: Pick<Attribute, 'api_slug' | 'id'>) {
  const path = referencePath(entityType, api_slug)
  return path === undefined ? { attribute: id.attribute_id } : { path }
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

export type StatusSummary = StatusHistoryAnswer['data']['statuses'][number]

/** For each status of an attribute, in their order: how many entities reached it, and how long they had it. */
export const summarizeStatusHistory = async (
  entityType: EntityTypePath,
  body: StatusHistoryBody,
  signal?: AbortSignal,
): Promise<readonly StatusSummary[]> =>
  (
    await api.post<StatusHistoryAnswer>(`${entitiesPath(entityType)}/status-history`, {
      body: { time_zone: TIME_ZONE, ...body },
      signal,
    })
  ).data.statuses
