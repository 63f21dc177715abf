/**
 * Lists and changes the schedules of emails of a dashboard. Who sees the dashboard may change them. See docs/reference/dashboards.md
 * (Emails).
 */

import { invalidBody, readId, emptyPayload } from '#base/errors/http'
import { scheduleNotFound, tooManySchedules } from '#base/errors/queries'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import { findTimezone } from '#base/timing/time-zones'
import type { ApiContext } from '#context'
import { viewOwner } from '#engine/data-model/viewer'
import { readDashboard } from '#api/resources/dashboards/dashboards'
import { parsePeriod } from '#vocabulary/relative-periods'
import { nextTime, type ScheduleTime } from './schedule-times'
import type { ScheduleChange, ScheduleInput, ScheduleOutput } from '#api/resources/dashboards/schedule-schemas'
import {
  deleteScheduleRow,
  findScheduleRow,
  insertScheduleRow,
  listScheduleRows,
  type ScheduleRow,
  updateScheduleRow,
} from './store'

const MAX_SCHEDULES = 100

interface ScheduleIds {
  readonly dashboardId: string
  readonly scheduleId: string
}

/** Throws 404 for the dashboard. */
export async function listSchedules(context: ApiContext, dashboardId: string): Promise<ScheduleOutput[]> {
  const dashboard = await readDashboard(context, dashboardId)
  return (await listScheduleRows(context, dashboard.id.dashboard_id)).map(render)
}

/** Throws 404 for the dashboard, and 400 for a recipient who does not see it and for a time that is none. */
export async function createSchedule(
  context: ApiContext,
  dashboardId: string,
  { workspace_member_id, is_paused = false, ...given }: ScheduleInput,
): Promise<ScheduleOutput> {
  const dashboard = await readDashboard(context, dashboardId)
  const memberId = workspace_member_id.toLowerCase()
  const isOfOther = dashboard.is_personal && memberId !== viewOwner(context)
  if (isOfOther || !isActiveMember(context, memberId))
    throw refusal(
      'workspace_member_id',
      isOfOther ? 'Nobody else sees this dashboard.' : 'The recipient is no member of the workspace.',
    )
  const schedule = checked(context, given)
  const ids = { workspace_id: dashboard.id.workspace_id, dashboard_id: dashboard.id.dashboard_id }
  if ((await listScheduleRows(context, ids.dashboard_id)).length >= MAX_SCHEDULES) throw tooManySchedules(MAX_SCHEDULES)
  const now = context.now()
  const row = await insertScheduleRow(context, {
    ...ids,
    ...schedule,
    id: newId(),
    member_id: memberId,
    created_at: timestampFromMicros(now),
    last_sent_at: null,
    due_at: dueAt(schedule, is_paused, now),
    attempts: 0,
    leased_by: null,
    worker: null,
  })
  return render(row)
}

/** Throws 404, and 400 for a time that is none. An email that is being prepared meanwhile is not sent. */
export async function updateSchedule(
  context: ApiContext,
  { dashboardId, scheduleId }: ScheduleIds,
  { is_paused, ...change }: ScheduleChange,
): Promise<ScheduleOutput> {
  const isEmpty = is_paused === undefined && Object.keys(change).length === 0
  if (isEmpty) throw emptyPayload()
  const before = await getSchedule(context, { dashboardId, scheduleId })
  const { frequency = before.frequency as ScheduleTime['frequency'] } = change // the column has these only
  const schedule = checked(context, {
    frequency,
    hour: before.hour,
    time_zone: before.time_zone,
    period: before.period,
    owner: before.owner,
    // Those of another frequency do not belong to the new one.
    ...(frequency === 'weekly' && before.weekday !== null && { weekday: before.weekday }),
    ...(frequency === 'monthly' && before.day !== null && { day: before.day }),
    ...change,
  })
  const due_at = dueAt(schedule, is_paused ?? before.due_at === null, context.now())
  const after = await updateScheduleRow(context, before, { ...schedule, due_at })
  if (after === undefined) throw scheduleNotFound(scheduleId)
  return render(after)
}

/** Throws 404. */
export async function deleteSchedule(context: ApiContext, { dashboardId, scheduleId }: ScheduleIds): Promise<void> {
  const { dashboard_id, id } = await getSchedule(context, { dashboardId, scheduleId })
  if (!(await deleteScheduleRow(context, { dashboardId: dashboard_id, id }))) throw scheduleNotFound(scheduleId)
}

async function getSchedule(context: ApiContext, { dashboardId, scheduleId }: ScheduleIds): Promise<ScheduleRow> {
  const dashboard = await readDashboard(context, dashboardId)
  const id = readId('Schedule', scheduleId)
  const row = await findScheduleRow(context, { dashboardId: dashboard.id.dashboard_id, id })
  if (row === undefined) throw scheduleNotFound(scheduleId)
  return row
}

const isActiveMember = ({ model }: ApiContext, id: string): boolean => {
  const member = model.membersById.get(id)
  return member !== undefined && member.access_level !== 'suspended'
}

const refusal = (member: keyof ScheduleInput, message: string) =>
  invalidBody([{ code: 'invalid', path: ['data', member], message }])

/** Throws 400 for members that do not belong together, and for names of nothing. */
function checked(
  context: ApiContext,
  {
    frequency,
    hour,
    weekday = null,
    day = null,
    time_zone,
    period = null,
    owner = null,
  }: Omit<ScheduleInput, 'workspace_member_id' | 'is_paused'> | ScheduleTimeInput,
) {
  const isWeekly = frequency === 'weekly'
  const isMonthly = frequency === 'monthly'
  if ((weekday !== null) !== isWeekly)
    throw refusal('weekday', isWeekly ? 'Name the weekday.' : `A ${frequency} email has no weekday.`)
  if ((day !== null) !== isMonthly)
    throw refusal('day', isMonthly ? 'Name the day of the month.' : `A ${frequency} email has no day of the month.`)
  const zone = findTimezone(time_zone)
  if (zone === undefined) throw refusal('time_zone', 'Name a time zone, such as "Europe/Berlin".')
  if (period !== null && parsePeriod(period) === undefined)
    throw refusal('period', 'Name a period, such as "last_7_days" or "this_month".')
  const isOwner = owner === null || owner === 'me' || owner === 'my_teams' || context.model.membersById.has(owner)
  if (!isOwner) throw refusal('owner', 'Name "me", "my_teams" or the id of a member.')
  return { frequency, weekday, day, hour, time_zone: zone, period, owner }
}

type ScheduleTimeInput = Partial<ScheduleTime> &
  Pick<ScheduleTime, 'frequency' | 'hour' | 'time_zone'> & {
    readonly period?: string | null
    readonly owner?: string | null
  }

const dueAt = (schedule: ScheduleTime, isPaused: boolean, now: Micros): string | null =>
  isPaused ? null : timestampFromMicros(nextTime(schedule, now))

const render = (row: ScheduleRow): ScheduleOutput => ({
  id: { workspace_id: row.workspace_id, dashboard_id: row.dashboard_id, schedule_id: row.id },
  workspace_member_id: row.member_id,
  frequency: row.frequency as ScheduleTime['frequency'], // the column has these only
  weekday: row.weekday,
  day: row.day,
  hour: row.hour,
  time_zone: row.time_zone,
  period: row.period,
  owner: row.owner,
  is_paused: row.due_at === null,
  next_at: timestampOrNull(row.due_at),
  last_sent_at: timestampOrNull(row.last_sent_at),
  created_at: timestampFromPostgres(row.created_at),
})
