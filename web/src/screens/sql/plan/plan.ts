/** The plan of a query as a tree of nodes, from the JSON of PostgreSQL's `explain`. */

export interface PlanNode {
  /** As PostgreSQL names it, such as `Hash Join`. */
  readonly name: string
  /** The table or index, and the conditions. */
  readonly details: readonly string[]
  /** Counted rows, or else estimated ones. */
  readonly rows: number
  /** Of the node without the nodes below it; undefined for a query that was not run. */
  readonly timeMs: number | undefined
  /** The node's part of the time, or else of the estimated cost: 0 to 1. */
  readonly share: number
  readonly children: readonly PlanNode[]
}

export interface Plan {
  readonly root: PlanNode
  /** Whether the query was run, so that rows and times are measured. */
  readonly isMeasured: boolean
}

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined for anything but the plan of one query. */
export function planOf(explained: unknown): Plan | undefined {
  const outer: unknown = Array.isArray(explained) ? explained[0] : explained
  const node = isJson(outer) ? (outer.Plan ?? outer) : undefined
  if (!isJson(node) || typeof node['Node Type'] !== 'string') return undefined
  const isMeasured = numberOf(node, 'Actual Total Time') !== undefined
  const weigh = isMeasured ? totalTime : (json: Json) => numberOf(json, 'Total Cost') ?? 0
  return { root: nodeOf(node, weigh, weigh(node)), isMeasured }
}

const numberOf = (json: Json, key: string): number | undefined => {
  const value = json[key]
  return typeof value === 'number' ? value : undefined
}

/** The time of all runs of a node. */
const totalTime = (json: Json): number =>
  (numberOf(json, 'Actual Total Time') ?? 0) * (numberOf(json, 'Actual Loops') ?? 1)

const childrenOf = ({ Plans: plans }: Json): Json[] => (Array.isArray(plans) ? plans.filter(isJson) : [])

function nodeOf(json: Json, weigh: (json: Json) => number, whole: number): PlanNode {
  const children = childrenOf(json)
  const below = children.reduce((sum, child) => sum + weigh(child), 0)
  const own = Math.max(0, weigh(json) - below)
  const actualRows = numberOf(json, 'Actual Rows')
  const isRun = actualRows !== undefined
  return {
    name: [json['Partial Mode'] === 'Partial' ? 'Partial ' : '', json['Node Type']].join(''),
    details: detailsOf(json),
    rows: isRun ? Math.round(actualRows * (numberOf(json, 'Actual Loops') ?? 1)) : (numberOf(json, 'Plan Rows') ?? 0),
    timeMs: isRun ? own : undefined,
    share: whole === 0 ? 0 : Math.min(1, own / whole),
    children: children.map((child) => nodeOf(child, weigh, whole)),
  }
}

const CONDITIONS = ['Index Cond', 'Hash Cond', 'Merge Cond', 'Join Filter', 'Filter'] as const

function detailsOf(json: Json): string[] {
  const index = textOf(json['Index Name'])
  const table = textOf(json['Relation Name']) ?? textOf(json['CTE Name'])
  const alias = textOf(json.Alias) ?? table
  const keys = [json['Sort Key'], json['Group Key']].find(Array.isArray)
  return [
    ...(table === undefined ? [] : [`on ${table}${alias === table ? '' : ` ${alias}`}`]),
    ...(index === undefined ? [] : [`by ${index}`]),
    ...(keys === undefined ? [] : [keys.join(', ')]),
    ...CONDITIONS.flatMap((key) => textOf(json[key]) ?? []),
  ]
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
