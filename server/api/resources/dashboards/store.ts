/** The rows of dashboards. */

import type { RequestContext } from '#context'
import { controlQueriesIn, equal, jsonb } from '#engine/data-model/kysely-in-transaction'
import { viewOwner } from '#engine/data-model/viewer'
import { timestampFromPostgres } from '#base/timing/clock'
import type { ChartOutput } from './schemas'

export interface DashboardRow {
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
export async function listDashboardRows(context: RequestContext): Promise<DashboardRow[]> {
  const rows = await readableDashboards(context).orderBy('id').execute()
  return rows.map(fromJson)
}

export async function findDashboardRow(context: RequestContext, id: string): Promise<DashboardRow | undefined> {
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
export async function countDashboards({ db, model }: RequestContext): Promise<number> {
  const { count } = await controlQueriesIn(db.sql)
    .selectFrom('relata.dashboards')
    .select((select) => select.fn.countAll().as('count'))
    .where('workspace_id', '=', model.workspace.id)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertDashboardRow({ db, model }: RequestContext, row: DashboardRow): Promise<void> {
  await controlQueriesIn(db.sql)
    .insertInto('relata.dashboards')
    .values({ ...row, workspace_id: model.workspace.id, charts: jsonb(row.charts) })
    .execute()
}

/** Returns false when the dashboard does not exist any more, or has another version than the one before `row`. */
export async function updateDashboardRow({ db, model }: RequestContext, row: DashboardRow): Promise<boolean> {
  const { id, title, charts, updated_at, member_id, version } = row
  const { numUpdatedRows } = await controlQueriesIn(db.sql)
    .updateTable('relata.dashboards')
    .set({ title, charts: jsonb(charts), updated_at, member_id, version })
    .where(equal({ workspace_id: model.workspace.id, id, version: version - 1 }))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns false when the dashboard does not exist. */
export async function deleteDashboardRow({ db, model }: RequestContext, id: string): Promise<boolean> {
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
