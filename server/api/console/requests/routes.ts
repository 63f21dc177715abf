/** The recent requests of API keys and apps, for admins. See docs/decisions/recent-requests.md. */

import { Elysia } from 'elysia'
import type { ConsoleContext } from '#api/console/console-context'
import { listRecentRequests } from '#api/http/recent-requests/recent-requests'
import { RecentRequestsAnswer } from './schemas'

export const requestRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-requests' }).get(
    ...guard.admin(
      '/console/api/workspaces/:workspace_id/requests',
      { response: RecentRequestsAnswer },
      async ({ member: { workspaceId } }) => {
        // The requests of this process are shown at once, those of others within seconds.
        await appContext.recentRequests?.flush()
        return { data: await listRecentRequests(appContext.db, workspaceId, appContext.now()) }
      },
    ),
  )
