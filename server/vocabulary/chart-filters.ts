/** The requests of charts: their definitions, with the period and the owner of the dashboard in their filters. */

type Filter = Record<string, unknown>

interface AggregatedChart<Aggregate, Group> {
  readonly filter?: Filter
  readonly time_attribute?: string
  readonly owner_attribute?: string
  readonly aggregates?: readonly Aggregate[]
  readonly group_by?: Group
  readonly split_by?: Group
}

/** What all charts of a dashboard are filtered by. */
export interface DashboardFilters {
  /** A relative period such as `this_quarter`. */
  readonly period: string | null
  /** `me`, `my_teams` or the id of a member. */
  readonly owner: string | null
}

/** The filter of the chart within that of the dashboard. A chart without an attribute of owners shows those of all. */
export function filterOf(chart: AggregatedChart<unknown, unknown>, { period, owner }: DashboardFilters): Filter {
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

const COUNT: { readonly function: 'count'; readonly attribute?: string } = { function: 'count' }

/** By default, the number of records or entries. */
export const aggregatesOf = <Aggregate>({
  aggregates = [],
}: {
  readonly aggregates?: readonly Aggregate[]
}): (Aggregate | typeof COUNT)[] => (aggregates.length > 0 ? [...aggregates] : [COUNT])

export function aggregateQuery<Aggregate, Group>(chart: AggregatedChart<Aggregate, Group>, filters: DashboardFilters) {
  const { group_by, split_by } = chart
  return {
    filter: filterOf(chart, filters),
    aggregates: aggregatesOf(chart),
    ...(group_by && { group_by }),
    ...(group_by && split_by && { split_by }),
  }
}
