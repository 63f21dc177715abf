import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { EmptyAnswer } from '#base/validation/shapes'
import { ifMatch } from '#engine/entities/read/etag'
import type { Scope } from '#vocabulary/scopes'
import { createSchedule, deleteSchedule, listSchedules, updateSchedule } from '#api/dashboard-emails/schedules'
import { CreateScheduleBody, ScheduleAnswer, SchedulesAnswer, UpdateScheduleBody } from './schedule-schemas'
import {
  answerDashboard,
  type AnsweredDashboard,
  createDashboard,
  deleteDashboard,
  listDashboards,
  updateDashboard,
} from './dashboards'
import { CreateDashboardBody, DashboardAnswer, DashboardsAnswer, UpdateDashboardBody } from './schemas'

const tag = 'Dashboards'
const DASHBOARDS = '/v2/dashboards'
const DASHBOARD = `${DASHBOARDS}/:dashboard_id` as const
const SCHEDULES = `${DASHBOARD}/schedules` as const
const SCHEDULE = `${SCHEDULES}/:schedule_id` as const

const READ: readonly Scope[] = ['object_configuration:read', 'list_configuration:read']
const WRITE: readonly Scope[] = ['object_configuration:read-write', 'list_configuration:read-write']
/** At the console, every member may change shared dashboards. */
const writing = { tag, scopes: WRITE, memberScopes: READ }

/** A dashboard with its version as entity tag. */
const tagged = async (dashboard: Promise<AnsweredDashboard>): Promise<JsonText> => {
  const { data, etag } = await dashboard
  return new JsonText(JSON.stringify({ data }), { headers: { ETag: etag } })
}

/** See docs/reference/dashboards.md. */
export const dashboardRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'dashboards' })
    .get(
      ...guard(
        DASHBOARDS,
        {
          operation: 'listDashboards',
          summary: 'List dashboards',
          description: 'Shared ones, and personal ones of the caller, in the order of their creation.',
          tag,
          scopes: READ,
          response: DashboardsAnswer,
        },
        async ({ context }) => ({ data: await listDashboards(context) }),
      ),
    )
    .post(
      ...guard(
        DASHBOARDS,
        {
          operation: 'createDashboard',
          summary: 'Create a dashboard',
          description: 'Charts store objects, lists and attributes by id, so renaming does not change them.',
          ...writing,
          body: CreateDashboardBody,
          response: DashboardAnswer,
        },
        ({ context, body }) => tagged(createDashboard(context, body.data)),
      ),
    )
    .get(
      ...guard(
        DASHBOARD,
        { operation: 'getDashboard', summary: 'Get a dashboard', tag, scopes: READ, response: DashboardAnswer },
        ({ context, params }) => tagged(answerDashboard(context, params.dashboard_id)),
      ),
    )
    .patch(
      ...guard(
        DASHBOARD,
        {
          operation: 'updateDashboard',
          summary: 'Change a dashboard',
          description: '`charts` replaces all charts that the caller sees.',
          ...writing,
          body: UpdateDashboardBody,
          response: DashboardAnswer,
          usesIfMatch: true,
        },
        ({ context, params, body, request }) =>
          tagged(updateDashboard(context, params.dashboard_id, body.data, ifMatch(request))),
      ),
    )
    .delete(
      ...guard(
        DASHBOARD,
        { operation: 'deleteDashboard', summary: 'Delete a dashboard', ...writing, response: EmptyAnswer },
        async ({ context, params }) => {
          await deleteDashboard(context, params.dashboard_id)
          return {}
        },
      ),
    )
    .use(scheduleRoutes(guard))

const scheduleRoutes = (guard: RouteGuard) =>
  new Elysia({ name: 'dashboard-schedules' })
    .get(
      ...guard(
        SCHEDULES,
        {
          operation: 'listDashboardSchedules',
          summary: 'List the schedules of emails of a dashboard',
          tag,
          scopes: READ,
          response: SchedulesAnswer,
        },
        async ({ context, params }) => ({
          data: await listSchedules(context, params.dashboard_id),
          is_delivered: context.sendsEmail,
        }),
      ),
    )
    .post(
      ...guard(
        SCHEDULES,
        {
          operation: 'createDashboardSchedule',
          summary: 'Email a dashboard to a member on a schedule',
          description: 'An email has the charts as the recipient sees them, as a picture and as tables.',
          ...writing,
          body: CreateScheduleBody,
          response: ScheduleAnswer,
        },
        async ({ context, params, body }) => ({ data: await createSchedule(context, params.dashboard_id, body.data) }),
      ),
    )
    .patch(
      ...guard(
        SCHEDULE,
        {
          operation: 'updateDashboardSchedule',
          summary: 'Change, pause or resume a schedule',
          ...writing,
          body: UpdateScheduleBody,
          response: ScheduleAnswer,
        },
        async ({ context, params, body }) => ({
          data: await updateSchedule(context, idsIn(params), body.data),
        }),
      ),
    )
    .delete(
      ...guard(
        SCHEDULE,
        { operation: 'deleteDashboardSchedule', summary: 'Delete a schedule', ...writing, response: EmptyAnswer },
        async ({ context, params }) => {
          await deleteSchedule(context, idsIn(params))
          return {}
        },
      ),
    )

const idsIn = ({ dashboard_id, schedule_id }: { readonly dashboard_id: string; readonly schedule_id: string }) => ({
  dashboardId: dashboard_id,
  scheduleId: schedule_id,
})
