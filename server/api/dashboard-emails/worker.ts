/**
 * Sends the emails of dashboards that are due: one at a time in each process. An email is computed with the access of its recipient.
 * See docs/decisions/dashboards.md (Emails).
 */

import { languageOfEmail } from '#access/accounts/accounts'
import { makeRequestContext } from '#api/http/guard/request-context'
import { readDashboard } from '#api/resources/dashboards/dashboards'
import type { DashboardOutput } from '#api/resources/dashboards/schemas'
import { ApiError } from '#base/errors/api-error'
import { type Micros, microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import type { LogFailure } from '#base/timing/worker-statistics'
import type { ApiContext, AppContext } from '#context'
import type { Email } from '#crm/email/send-email'
import { leaseOf, queueWorker, released, takeDue, type Taken, updateLeased } from '#engine/queue'
import { ROLE_SCOPES } from '#vocabulary/roles'
import { type ChartContent, computeChart } from './chart-content'
import { dashboardEmail } from './dashboard-email'
import { drawDashboard, drawPng } from './dashboard-picture'
import { nextTime, type ScheduleTime } from './schedule-times'
import { scheduleQueue } from './store'
import { textsIn } from './texts'

type DueSchedule = Taken<'relata.dashboard_schedules'>

/** After this many attempts the email is given up; the log has the reasons. The next one is sent at its time. */
const MAX_ATTEMPTS = 8

/** Without a mail server, schedules stay due. */
export const dashboardEmailWorker = queueWorker<AppContext>({
  name: 'dashboard emails',
  does: 'sends dashboards',
  queue: scheduleQueue,
  everyMs: 15_000,
  async take(appContext, _stopping, logFailure) {
    const { db, now, mail } = appContext
    if (!mail.isDelivered) return undefined
    const [due] = await takeDue(db, scheduleQueue, { now: now(), limit: 1 })
    return due && (() => sendScheduled(appContext, due, logFailure))
  },
})

/** An error leaves the schedule due at the end of its lease. */
async function sendScheduled(appContext: AppContext, due: DueSchedule, logFailure: LogFailure): Promise<void> {
  const { db, now } = appContext
  const lease = leaseOf(scheduleQueue, due)
  const next = nextTime(timeOf(due), now())
  const change = (columns: Parameters<typeof updateLeased>[3]) =>
    updateLeased(db.sql, scheduleQueue, lease, columns, 'id')
  const email = due.attempts > MAX_ATTEMPTS ? undefined : await prepareEmail(appContext, due, next)
  if (email === undefined) {
    await change(released(next))
    return
  }
  // From here on a process that is killed may have sent the email, so no other one sends it.
  if ((await change({ due_at: timestampFromMicros(next), worker: null })) === undefined) return
  try {
    await appContext.mail.send(email)
  } catch (error) {
    logFailure('The mail server refused the email of a dashboard.', error)
    const retryAt = microsFromPostgres(due.due_at ?? '')
    await change(retryAt < next ? { due_at: timestampFromMicros(retryAt) } : released(next))
    return
  }
  await change({ ...released(next), last_sent_at: timestampFromMicros(now()) })
}

const timeOf = (due: DueSchedule): ScheduleTime => ({ ...due, frequency: due.frequency as ScheduleTime['frequency'] }) // the column has these only

/** Undefined when nothing is to be sent: the recipient is suspended, does not see the dashboard, or it has no charts. */
async function prepareEmail(appContext: AppContext, due: DueSchedule, next: Micros): Promise<Email | undefined> {
  const context = await openContextOf(appContext, due)
  const member = context?.model.membersById.get(due.member_id)
  const dashboard = context && (await findDashboard(context, due.dashboard_id))
  if (context === undefined || member === undefined || dashboard === undefined || dashboard.charts.length === 0)
    return undefined
  const { period, owner, time_zone: timeZone } = due
  const texts = textsIn(await languageOfEmail(appContext.db, member.email_address))
  const charts: ChartContent[] = []
  for (const chart of dashboard.charts)
    charts.push(await computeChart(context, chart, { filters: { period, owner }, timeZone, texts }))
  const picture = drawDashboard(charts)
  const { workspace } = context.model
  return dashboardEmail({
    to: member.email_address,
    title: dashboard.title,
    workspaceName: workspace.name,
    time: texts.instantIn(timeZone, context.now() / 1000),
    url: urlOf(context, due),
    charts,
    texts,
    png: await drawPng(picture),
    width: picture.width,
    messageId: `<dashboard-${due.id}-${next}@${new URL(context.appUrl).hostname}>`,
  })
}

/** Nothing aborts the statements of an email. */
const NO_REQUEST = new Request('http://dashboard-email.internal/')

/** The context of a request of the recipient. Undefined for a suspended one. */
async function openContextOf(
  appContext: AppContext,
  { workspace_id, member_id }: DueSchedule,
): Promise<ApiContext | undefined> {
  const member = (await appContext.models.reload(workspace_id)).membersById.get(member_id)
  if (member === undefined || member.access_level === 'suspended') return undefined
  const caller = {
    key: '',
    limited: false,
    workspaceId: workspace_id,
    actor: member.actor,
    authorizedBy: member.id,
    scopes: ROLE_SCOPES[member.access_level],
  }
  const context = await makeRequestContext(appContext, caller, NO_REQUEST)
  // One email at a time in each process limits these queries.
  const { costLimit: _costs, limits: _limits, ...rest } = context
  return rest
}

/** The dashboard as the recipient sees it. Undefined when it is now personal to another member. */
async function findDashboard(context: ApiContext, id: string): Promise<DashboardOutput | undefined> {
  try {
    return await readDashboard(context, id)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

function urlOf({ appUrl, model }: ApiContext, { dashboard_id, period, owner }: DueSchedule): string {
  const query = new URLSearchParams({ ...(period !== null && { period }), ...(owner !== null && { owner }) }).toString()
  const path = `${appUrl}/${model.workspace.slug}/dashboards/${dashboard_id}`
  return query === '' ? path : `${path}?${query}`
}
