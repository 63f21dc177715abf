/** The rows of schedules, which are also the queue of the emails. */

import type { Selectable } from 'kysely'
import type { RequestContext } from '#context'
import type { Database } from '#db/connect'
import type { DB } from '#db/schema'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import type { Queue } from '#engine/queue'

export type ScheduleRow = Selectable<DB['relata.dashboard_schedules']>

export const scheduleQueue: Queue<'relata.dashboard_schedules'> = {
  table: 'relata.dashboard_schedules',
  id: 'id',
  lease: 'back-off',
  sends: true,
}

const rowsOf = ({ db, model }: RequestContext, dashboardId: string) =>
  controlQueriesIn(db.sql)
    .selectFrom('relata.dashboard_schedules')
    .selectAll()
    .where(equal({ workspace_id: model.workspace.id, dashboard_id: dashboardId }))

/** In the order of their creation. */
export const listScheduleRows = (context: RequestContext, dashboardId: string): Promise<ScheduleRow[]> =>
  rowsOf(context, dashboardId).orderBy('id').execute()

export const findScheduleRow = (
  context: RequestContext,
  { dashboardId, id }: { readonly dashboardId: string; readonly id: string },
): Promise<ScheduleRow | undefined> => rowsOf(context, dashboardId).where('id', '=', id).executeTakeFirst()

export const insertScheduleRow = ({ db }: RequestContext, row: ScheduleRow): Promise<ScheduleRow> =>
  controlQueriesIn(db.sql).insertInto('relata.dashboard_schedules').values(row).returningAll().executeTakeFirstOrThrow()

type ScheduleColumns = Pick<
  ScheduleRow,
  'frequency' | 'weekday' | 'day' | 'hour' | 'time_zone' | 'period' | 'owner' | 'due_at'
>

/** Ends the lease of a process that has the row. Returns undefined when the schedule does not exist any more. */
export const updateScheduleRow = (
  { db }: RequestContext,
  { workspace_id, id }: Pick<ScheduleRow, 'workspace_id' | 'id'>,
  columns: ScheduleColumns,
): Promise<ScheduleRow | undefined> =>
  controlQueriesIn(db.sql)
    .updateTable('relata.dashboard_schedules')
    .set({ ...columns, attempts: 0, leased_by: null, worker: null })
    .where(equal({ workspace_id, id }))
    .returningAll()
    .executeTakeFirst()

/** Returns false when the schedule does not exist. */
export async function deleteScheduleRow(
  { db, model }: RequestContext,
  { dashboardId, id }: { readonly dashboardId: string; readonly id: string },
): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(db.sql)
    .deleteFrom('relata.dashboard_schedules')
    .where(equal({ workspace_id: model.workspace.id, dashboard_id: dashboardId, id }))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The names of members by their ids. */
export async function readMemberNames(
  { control }: Database,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await control
    .selectFrom('relata.workspace_members')
    .select(['id', 'first_name', 'last_name'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, first_name, last_name }) => [id, `${first_name} ${last_name}`.trim()]))
}
