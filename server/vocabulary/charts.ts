/** The kinds of charts and the grid of dashboards. See docs/reference/dashboards.md. */

export const CHART_KINDS = ['bars', 'lines', 'areas', 'figure', 'table', 'funnel', 'time_in_status'] as const
export type ChartKind = (typeof CHART_KINDS)[number]

/** These kinds show the history of a status attribute. */
export const isOfStatuses = (kind: ChartKind): boolean => kind === 'funnel' || kind === 'time_in_status'

/** These kinds show groups along an axis. */
export const hasAxis = (kind: ChartKind): boolean => kind === 'bars' || kind === 'lines' || kind === 'areas'

export const GRID_COLUMNS = 12
export const MAX_CHARTS = 50
