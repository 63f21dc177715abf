import { Elysia } from 'elysia'
import type { RouteGuard } from '#api/http/guard/route'
import { EmptyAnswer } from '#base/validation/shapes'
import type { Scope } from '#vocabulary/scopes'
import { createDashboard, deleteDashboard, listDashboards, readDashboard, updateDashboard } from './dashboards'
import { CreateDashboardBody, DashboardAnswer, DashboardsAnswer, UpdateDashboardBody } from './schemas'

const tag = 'Dashboards'
const DASHBOARDS = '/v2/dashboards'
const DASHBOARD = `${DASHBOARDS}/:dashboard_id` as const

const READ: readonly Scope[] = ['object_configuration:read', 'list_configuration:read']
const WRITE: readonly Scope[] = ['object_configuration:read-write', 'list_configuration:read-write']
/** At the console, every member may change shared dashboards. */
const writing = { tag, scopes: WRITE, memberScopes: READ }

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
        async ({ context, body }) => ({ data: await createDashboard(context, body.data) }),
      ),
    )
    .get(
      ...guard(
        DASHBOARD,
        { operation: 'getDashboard', summary: 'Get a dashboard', tag, scopes: READ, response: DashboardAnswer },
        async ({ context, params }) => ({ data: await readDashboard(context, params.dashboard_id) }),
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
        },
        async ({ context, params, body }) => ({
          data: await updateDashboard(context, params.dashboard_id, body.data),
        }),
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
