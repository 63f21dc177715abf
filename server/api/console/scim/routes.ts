import { Elysia } from 'elysia'
import { SCIM_PATH } from '#api/http/scim/scim-endpoint'
import { listScimRequests } from '#api/scim/request-log'
import { timestampFromPostgres } from '#base/timing/clock'
import type { ConsoleContext } from '#api/console/console-context'
import { ScimStatusAnswer } from './schemas'

/** What an admin needs to connect an identity provider, and the last requests of it. */
export const scimStatusRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-scim' }).get(
    ...guard.admin('/console/api/workspaces/:workspace_id/scim', { response: ScimStatusAnswer }, async ({ member }) => {
      const requests = await listScimRequests(appContext.db.sql, member.workspaceId)
      return {
        data: {
          base_url: `${appContext.settings.appUrl}${SCIM_PATH}`,
          requests: requests.map((request) => ({ ...request, created_at: timestampFromPostgres(request.created_at) })),
        },
      }
    }),
  )
