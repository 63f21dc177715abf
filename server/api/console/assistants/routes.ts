/** The endpoint for assistants and the last calls of their tools, for admins. See docs/reference/assistants.md (Calls). */

import { Elysia } from 'elysia'
import { listToolCalls } from '#api/mcp/calls'
import { MCP_PATH } from '#access/oauth/metadata'
import type { ConsoleContext } from '#api/console/console-context'
import { AssistantsAnswer } from './schemas'

const SHOWN_CALLS = 100

export const assistantRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-assistants' }).get(
    ...guard.admin(
      '/console/api/workspaces/:workspace_id/assistants',
      { response: AssistantsAnswer },
      async ({ member }) => ({
        data: {
          url: appContext.settings.appUrl + MCP_PATH,
          calls: await listToolCalls(appContext.db, member.workspaceId, SHOWN_CALLS),
        },
      }),
    ),
  )
