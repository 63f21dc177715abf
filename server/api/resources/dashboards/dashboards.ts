/**
 * Reads and changes dashboards. Charts are checked like the requests that compute them, and stored with ids instead of slugs. A caller
 * does not see charts that name something hidden, and a change by this caller keeps them. See docs/reference/dashboards.md.
 */
import { isDeepStrictEqual } from 'node:util'
import { getList, listAccess } from '#access/list-access/list-access'
import { emptyPayload, invalidBody, readId } from '#base/errors/http'
import { dashboardNotFound, personalDashboardOfClient, tooManyDashboards } from '#base/errors/queries'
import { unknownAttributeKey } from '#base/errors/records'
import { newId } from '#base/ids'
import { timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import type { ApiContext, RequestContext } from '#context'
import { attributeType } from '#engine/attribute-types/registry'
import { getObject, listTypes } from '#engine/data-model/find'
import { controlQueriesIn, equal, jsonb } from '#engine/data-model/kysely-in-transaction'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { viewOwner } from '#engine/data-model/viewer'
import { etagOf, requireMatch } from '#engine/entities/read/etag'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { isTimeAttribute, resolveAggregation } from '#engine/query/aggregate/resolve-aggregates'
import type { GroupInput } from '#engine/query/aggregate/schemas'
import { getStatusAttribute } from '#engine/query/aggregate/status-history'
import { requestIndexOfSaved } from '#engine/query/aggregate/aggregate-entities'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { getSearchable } from '#engine/query/resolve/resolve-path'
import { filterById, resolveQuery } from '#engine/query/resolve/resolve-query'
import { findHiddenTexts } from '#engine/storage/hidden-texts'
import { VersionConflict } from '#engine/storage/preconditions'
import { GRID_COLUMNS, hasAxis, isOfStatuses } from '#vocabulary/charts'
import type {
  ChartInput,
  ChartOutput,
  DashboardChange,
  DashboardInput,
  DashboardItem,
  DashboardOutput,
} from './schemas'

const MAX_DASHBOARDS = 500

export const listDashboards = async (context: ApiContext): Promise<DashboardItem[]> =>
  (await listDashboardRows(context)).map((row) => renderItem(context, row))

/** A dashboard rendered, with the tag of its version for `If-Match`. */
export interface AnsweredDashboard {
  readonly data: DashboardOutput
  readonly etag: string
}

/** Throws 404. */
export const readDashboard = async (context: ApiContext, id: string): Promise<DashboardOutput> =>
  (await answerDashboard(context, id)).data

/** Throws 404. */
export async function answerDashboard(context: ApiContext, id: string): Promise<AnsweredDashboard> {
  const row = await getDashboardRow(context, id)
  return answered(context, row, await divideCharts(context, row.charts))
}

/** Throws the errors of the requests that compute its charts. */
export const createDashboard = (context: ApiContext, input: DashboardInput): Promise<AnsweredDashboard> =>
  retryOnConflict(context, async (context) => {
    const { title, charts = [], is_personal = false } = input
    const now = timestampFromMicros(context.now())
    const row: DashboardRow = {
      id: newId(),
      title,
      charts: storedCharts(context, charts),
      created_at: now,
      updated_at: now,
      member_id: is_personal ? requireOwner(context) : null,
      version: 1,
    }
    if ((await countDashboards(context)) >= MAX_DASHBOARDS) throw tooManyDashboards(MAX_DASHBOARDS)
    await insertDashboardRow(context, row)
    return answered(context, row, { visible: row.charts, hidden: [] })
  })

/** Members that the request does not name stay unchanged. Throws 404, 412, and the errors of a creation. */
export const updateDashboard = (
  context: ApiContext,
  id: string,
  change: DashboardChange,
  ifMatch: string | null,
): Promise<AnsweredDashboard> =>
  retryOnConflict(context, async (context) => {
    if (Object.keys(change).length === 0) throw emptyPayload()
    const before = await getDashboardRow(context, id)
    requireMatch(before, ifMatch)
    const { title = before.title, charts, is_personal } = change
    const divided = await divideCharts(context, before.charts)
    const visible = charts === undefined ? divided.visible : storedCharts(context, charts, divided)
    const row: DashboardRow = {
      ...before,
      title,
      charts: charts === undefined ? before.charts : [...visible, ...divided.hidden],
      updated_at: timestampFromMicros(context.now()),
      member_id: is_personal === undefined ? before.member_id : is_personal ? requireOwner(context) : null,
      version: before.version + 1,
    }
    if (!(await updateDashboardRow(context, row))) throw new VersionConflict()
    return answered(context, row, { visible, hidden: divided.hidden })
  })

/** Throws 404. */
export async function deleteDashboard(context: ApiContext, id: string): Promise<void> {
  const row = await getDashboardRow(context, id)
  if (!(await deleteDashboardRow(context, row.id))) throw dashboardNotFound(id)
}

async function getDashboardRow(context: ApiContext, id: string): Promise<DashboardRow> {
  const row = await findDashboardRow(context, readId('Dashboard', id))
  if (row === undefined) throw dashboardNotFound(id)
  return row
}

/** Throws 400 for callers that are no members. */
function requireOwner(context: ApiContext): string {
  const owner = viewOwner(context)
  if (owner === null) throw personalDashboardOfClient()
  return owner
}

interface DividedCharts {
  readonly visible: readonly ChartOutput[]
  readonly hidden: readonly ChartOutput[]
}

/** The charts that the caller sees, and those that name something hidden. */
async function divideCharts(context: ApiContext, charts: readonly ChartOutput[]): Promise<DividedCharts> {
  const unseenLists = listTypes(context.model).filter((list) => listAccess(context, list) === undefined)
  // A title is a text of the member.
  const texts = charts.map(({ title: _, ...named }) => JSON.stringify(named))
  const named = await findHiddenTexts(context, texts, { unseenLists })
  const isHidden = (_: ChartOutput, index: number) => named.has(texts[index] ?? '')
  return {
    visible: charts.filter((chart, index) => !isHidden(chart, index)),
    hidden: charts.filter(isHidden),
  }
}

const renderItem = (
  { model }: ApiContext,
  { id, title, member_id, created_at, updated_at }: DashboardRow,
): DashboardItem => ({
  id: { workspace_id: model.workspace.id, dashboard_id: id },
  title,
  is_personal: member_id !== null,
  created_at,
  updated_at,
})

/** The answer to a write has all charts that the request names, so that it does not tell which text is the id of something hidden. */
const answered = (context: ApiContext, row: DashboardRow, { visible, hidden }: DividedCharts): AnsweredDashboard => ({
  data: { ...renderItem(context, row), charts: [...visible], hidden_charts: hidden.length },
  etag: etagOf(row.version),
})

// Checks charts, and replaces slugs by ids. See docs/reference/dashboards.md (Charts).

/**
 * A chart of the dashboard that changes only its title or its place is not checked again: what it names may be archived or deleted since.
 */
function storedCharts(
  context: ApiContext,
  charts: readonly ChartInput[],
  before: DividedCharts = NO_CHARTS,
): ChartOutput[] {
  const ids = charts.flatMap(({ id }) => id?.toLowerCase() ?? [])
  const repeated = ids.find((id, index) => ids.indexOf(id) !== index)
  if (repeated !== undefined)
    throw invalidBody([{ code: 'invalid', path: ['data', 'charts'], message: `Two charts have the id ${repeated}.` }])
  return charts.map((chart, index) => {
    const given = chart.id?.toLowerCase()
    const id = given === undefined || before.hidden.some((other) => other.id === given) ? newId() : given
    const stored = before.visible.find((other) => other.id === id)
    checkPlace(chart, index)
    if (stored && isDeepStrictEqual(definitionOf(stored), definitionOf(chart)))
      return { ...stored, title: chart.title, place: chart.place }
    checkMembers(chart, index)
    return { ...chart, id, ...storedQuery(context, chart) }
  })
}

const NO_CHARTS = { visible: [], hidden: [] }

const definitionOf = ({ id: _id, title: _title, place: _place, ...definition }: ChartInput) => definition

const refusal = (index: number, member: keyof ChartInput, message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', 'charts', index, member], message }])

function checkPlace({ place }: ChartInput, index: number): void {
  if (place.column + place.width > GRID_COLUMNS) throw refusal(index, 'place', `A row has ${GRID_COLUMNS} columns.`)
}

const QUERY_MEMBERS = ['aggregates', 'group_by', 'split_by'] as const
const FILTER_MEMBERS = ['filter', 'time_attribute', 'owner_attribute'] as const

/** Throws 400 for members that the kind or the source of the chart does not have, or that it lacks. */
function checkMembers(chart: ChartInput, index: number): void {
  const { kind, source } = chart
  const isOfQuery = 'saved_query_id' in source
  const ofStatuses = isOfStatuses(kind)
  if (isOfQuery && ofStatuses) throw refusal(index, 'kind', `A saved query has no ${kind}.`)
  const others = [
    ...(isOfQuery ? FILTER_MEMBERS : []),
    ...(isOfQuery || ofStatuses ? QUERY_MEMBERS : []),
    ...(ofStatuses ? [] : (['attribute'] as const)),
  ]
  const odd = others.find((member) => chart[member] !== undefined)
  if (odd) throw refusal(index, odd, `A chart of this kind and source has no ${odd}.`)
  if (ofStatuses && chart.attribute === undefined) throw refusal(index, 'attribute', 'Name a status attribute.')
  if (!isOfQuery && hasAxis(kind) && chart.group_by === undefined)
    throw refusal(index, 'group_by', `Name the attribute whose values the ${kind} stand for.`)
}

/** The members of the chart that name something, with ids. Throws the errors of the requests that compute the chart. */
function storedQuery(context: ApiContext, chart: ChartInput): Partial<ChartOutput> {
  const { source, filter, aggregates, group_by, split_by, attribute, time_attribute, owner_attribute } = chart
  if ('saved_query_id' in source) return { source: { saved_query_id: source.saved_query_id.toLowerCase() } }
  const { model } = context
  const entityType = 'object' in source ? getObject(model, source.object) : getList(context, source.list, 'read-only')
  const idOf = (name: string) => getAttribute(context, entityType, name).id
  const groupById = (group: GroupInput) => {
    const { attribute: name, ...rest } = typeof group === 'string' ? { attribute: group } : group
    return { attribute: idOf(name), ...rest }
  }
  const query = resolveQuery(model, entityType, { filter }, UNUSED_RELATIVE_CONTEXT)
  const aggregation = resolveAggregation(model, entityType, chart)
  if (!isOfStatuses(chart.kind)) requestIndexOfSaved(context, entityType, { query, aggregation })
  if (attribute !== undefined) getStatusAttribute(context, entityType, attribute)
  if (time_attribute !== undefined) checkTimes(getAttribute(context, entityType, time_attribute))
  if (owner_attribute !== undefined) checkMembersOf(getAttribute(context, entityType, owner_attribute))
  return {
    source: 'object' in source ? { object: entityType.id } : { list: entityType.id },
    ...(filter && { filter: filterById(model, entityType, filter) as ChartOutput['filter'] }), // the result is an object, like `filter`
    ...(aggregates && {
      aggregates: aggregates.map((each) => ({ ...each, ...(each.attribute && { attribute: idOf(each.attribute) }) })),
    }),
    ...(group_by && { group_by: groupById(group_by) }),
    ...(split_by && { split_by: groupById(split_by) }),
    ...(attribute && { attribute: idOf(attribute) }),
    ...(time_attribute && { time_attribute: idOf(time_attribute) }),
    ...(owner_attribute && { owner_attribute: idOf(owner_attribute) }),
  }
}

const getAttribute = ({ model }: ApiContext, entityType: EntityType, name: string): Attribute =>
  getSearchable(model, entityType, name, (didYouMean) => unknownAttributeKey(name, didYouMean))

function checkTimes(attribute: Attribute): void {
  // A filter on an interaction names one of its fields.
  const isFiltered = attributeType(attribute.type).defaultProperty !== null
  if (isTimeAttribute(attribute) && isFiltered) return
  throw invalidBody([
    { code: 'invalid', path: ['data', 'charts'], message: `Attribute "${attribute.api_slug}" has no dates or times.` },
  ])
}

function checkMembersOf(attribute: Attribute): void {
  const { properties } = attributeType(attribute.type)
  if (properties.referenced_actor_id !== undefined) return
  throw invalidBody([
    { code: 'invalid', path: ['data', 'charts'], message: `Attribute "${attribute.api_slug}" has no members.` },
  ])
}

interface DashboardRow {
  readonly id: string
  readonly title: string
  readonly charts: readonly ChartOutput[]
  readonly created_at: string
  readonly updated_at: string
  /** The member whose personal dashboard it is; null for a shared one. */
  readonly member_id: string | null
  /** Each change raises it. */
  readonly version: number
}

/** Shared ones, and personal ones of the caller, in the order of their creation. */
async function listDashboardRows(context: RequestContext): Promise<DashboardRow[]> {
  const rows = await readableDashboards(context).orderBy('id').execute()
  return rows.map(fromJson)
}

async function findDashboardRow(context: RequestContext, id: string): Promise<DashboardRow | undefined> {
  const row = await readableDashboards(context).where('id', '=', id).executeTakeFirst()
  return row && fromJson(row)
}

const readableDashboards = (context: RequestContext) =>
  controlQueriesIn(context.db.sql)
    .selectFrom('relata.dashboards')
    .select(['id', 'title', 'charts', 'created_at', 'updated_at', 'member_id', 'version'])
    .where('workspace_id', '=', context.model.workspace.id)
    .where(({ eb, or }) => or([eb('member_id', 'is', null), eb('member_id', '=', viewOwner(context))]))
    .$castTo<JsonRow>()

/** Of all members. */
async function countDashboards({ db, model }: RequestContext): Promise<number> {
  const { count } = await controlQueriesIn(db.sql)
    .selectFrom('relata.dashboards')
    .select((select) => select.fn.countAll().as('count'))
    .where('workspace_id', '=', model.workspace.id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function insertDashboardRow({ db, model }: RequestContext, row: DashboardRow): Promise<void> {
  await controlQueriesIn(db.sql)
    .insertInto('relata.dashboards')
    .values({ ...row, workspace_id: model.workspace.id, charts: jsonb(row.charts) })
    .execute()
}

/** Returns false when the dashboard does not exist any more, or has another version than the one before `row`. */
async function updateDashboardRow({ db, model }: RequestContext, row: DashboardRow): Promise<boolean> {
  const { id, title, charts, updated_at, member_id, version } = row
  const { numUpdatedRows } = await controlQueriesIn(db.sql)
    .updateTable('relata.dashboards')
    .set({ title, charts: jsonb(charts), updated_at, member_id, version })
    .where(equal({ workspace_id: model.workspace.id, id, version: version - 1 }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns false when the dashboard does not exist. */
async function deleteDashboardRow({ db, model }: RequestContext, id: string): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(db.sql)
    .deleteFrom('relata.dashboards')
    .where(equal({ workspace_id: model.workspace.id, id }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

type JsonRow = Omit<DashboardRow, 'charts'> & { readonly charts: string }

const fromJson = (row: JsonRow): DashboardRow => ({
  ...row,
  charts: JSON.parse(row.charts),
  created_at: timestampFromPostgres(row.created_at),
  updated_at: timestampFromPostgres(row.updated_at),
})
