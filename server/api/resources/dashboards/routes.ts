import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { JsonText } from '#api/http/response/answer'
import { EmptyAnswer } from '#base/validation/shapes'
import { ifMatch } from '#engine/entities/read/etag'
import type { Scope } from '#vocabulary/scopes'
import {
  type AnsweredDashboard,
  createDashboard,
  deleteDashboard,
  listDashboards,
  readDashboard,
  updateDashboard,
} from './dashboards'
import { CreateDashboardBody, DashboardAnswer, DashboardsAnswer, UpdateDashboardBody } from './schemas'

const tag = 'Dashboards'
const DASHBOARDS = '/v2/dashboards'
const DASHBOARD = `${DASHBOARDS}/:dashboard_id` as const

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
        ({ context, params }) => tagged(readDashboard(context, params.dashboard_id)),
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
