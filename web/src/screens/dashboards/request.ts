/** The requests of charts: their definitions, with the period and the owner of the dashboard in their filters. */

import type { EntityTypePath } from '../../api/data-model/attributes'
import type { Chart } from '../../api/data-model/dashboards'
import type { AggregateQuery } from '../../api/records/aggregate'
import type { Filter } from '../../api/records/entities'

/** What all charts of a dashboard are filtered by. */
export interface DashboardFilters {
  /** A relative period such as `this_quarter`. */
  readonly period: string | null
  /** `me`, `my_teams` or the id of a member. */
  readonly owner: string | null
}

export const NO_FILTERS: DashboardFilters = { period: null, owner: null }

/** The filter of the chart within that of the dashboard. A chart without an attribute of owners shows those of all. */
export function filterOf(chart: Chart, { period, owner }: DashboardFilters): Filter {
  const { filter, time_attribute = 'created_at', owner_attribute } = chart
  const parts: Filter[] = [
    ...(filter && Object.keys(filter).length > 0 ? [filter] : []),
    ...(period === null ? [] : [{ [time_attribute]: { $relative: period } }]),
    ...(owner === null || owner_attribute === undefined ? [] : [{ [owner_attribute]: ownerCondition(owner) }]),
  ]
  const [first = {}, ...others] = parts
  return others.length === 0 ? first : { $and: parts }
}

function ownerCondition(owner: string) {
  if (owner === 'me' || owner === 'my_teams') return { $relative: owner }
  return { referenced_actor_type: 'workspace-member', referenced_actor_id: owner }
}

/** By default, the number of records or entries. */
export const aggregatesOf = ({ aggregates }: Pick<Chart, 'aggregates'>): NonNullable<AggregateQuery['aggregates']> =>
  aggregates && aggregates.length > 0 ? aggregates : [{ function: 'count' }]

export function aggregateQuery(chart: Chart, filters: DashboardFilters): AggregateQuery {
  const { group_by, split_by } = chart
  return {
    filter: filterOf(chart, filters),
    aggregates: aggregatesOf(chart),
    ...(group_by && { group_by }),
    ...(group_by && split_by && { split_by }),
  }
}

interface KnownTypes {
  readonly objects: readonly { readonly id: { readonly object_id: string }; readonly api_slug: string | null }[]
  readonly lists: readonly { readonly id: { readonly list_id: string }; readonly api_slug: string }[]
}

/** The object or list of a chart; undefined for a saved query, and for what was deleted since. */
export function sourcePath(
  { source }: Pick<Chart, 'source'>,
  { objects, lists }: KnownTypes,
): EntityTypePath | undefined {
  if ('object' in source) {
    const slug = objects.find(({ id }) => id.object_id === source.object)?.api_slug
    return slug ? { kind: 'objects', slug } : undefined
  }
  if (!('list' in source)) return undefined
  const slug = lists.find(({ id }) => id.list_id === source.list)?.api_slug
  return slug === undefined ? undefined : { kind: 'lists', slug }
}
