/** Reads what a chart shows: groups, the history of statuses, or the rows of a saved query. */

import { aggregateQuery, type DashboardFilters, filterOf } from '#vocabulary/chart-filters'
import { isOfStatuses } from '#vocabulary/charts'
import { type Attribute, type EntityTypePath, listOptions, optionId } from '../../api/data-model/attributes'
import type { Chart } from '../../api/data-model/dashboards'
import {
  aggregateEntities,
  type Aggregates,
  type StatusSummary,
  summarizeStatusHistory,
} from '../../api/records/aggregate'
import type { Value } from '../../api/records/entities'
import { getSavedQuery } from '../../api/sql/sql-queries'
import { runSql, type SqlResult } from '../../api/sql/sql'
import { loadAttributes } from '../../state/attributes.svelte'
import { getDataModel } from '../../state/data-model.svelte'
import { optionKindOf } from '../../values/options.svelte'
import { valueTypeOf } from '../../values/registry'
import { attributeNamed } from './naming'
import { sourcePath } from './source-path'

export type ChartAnswer =
  | {
      readonly kind: 'aggregates'
      readonly aggregates: Aggregates
      readonly attributes: readonly Attribute[]
      /** The ids of the options of the groups and of the splits, in their order. */
      readonly options: readonly string[]
    }
  | { readonly kind: 'statuses'; readonly statuses: readonly StatusSummary[] }
  | { readonly kind: 'rows'; readonly result: SqlResult }
  /** The object or list was deleted, or is not shared any more. */
  | { readonly kind: 'missing' }

export async function readChart(chart: Chart, filters: DashboardFilters, signal: AbortSignal): Promise<ChartAnswer> {
  if ('saved_query_id' in chart.source) {
    const { sql } = await getSavedQuery(chart.source.saved_query_id, signal)
    return { kind: 'rows', result: await runSql(sql, signal) }
  }
  const model = getDataModel().data
  const path = model && sourcePath(chart, model)
  if (path === undefined) return { kind: 'missing' }
  if (isOfStatuses(chart.kind)) {
    const body = { attribute: chart.attribute ?? '', filter: filterOf(chart, filters) }
    return { kind: 'statuses', statuses: await summarizeStatusHistory(path, body, signal) }
  }
  return readAggregates(path, chart, filters, signal)
}

async function readAggregates(path: EntityTypePath, chart: Chart, filters: DashboardFilters, signal: AbortSignal) {
  const [aggregates, attributes] = await Promise.all([
    aggregateEntities(path, aggregateQuery(chart, filters), signal),
    loadAttributes(path),
  ])
  const { groups = [] } = aggregates
  const valuesIn = (of: typeof groups) => of.flatMap(({ value }) => (value === null ? [] : [value as Value])) // the members that a text needs
  const splits = groups.flatMap((group) => group.splits ?? [])
  const options: string[] = []
  for (const [group, values] of [
    [chart.group_by, valuesIn(groups)],
    [chart.split_by, valuesIn(splits)],
  ] as const) {
    const attribute = group === undefined ? undefined : attributeNamed(attributes, group)
    if (attribute === undefined) continue
    await valueTypeOf(attribute).loadText?.(values)
    const optionKind = optionKindOf(attribute)
    if (optionKind) options.push(...(await listOptions(path, attribute.api_slug, optionKind, signal)).map(optionId))
  }
  return { kind: 'aggregates', aggregates, attributes, options } as const
}
