import { Elysia } from 'elysia'
import { type ConsoleContext, auditActorOf } from '#api/console/console-context'
import { createWorkspaceFor, getWorkspace, updateWorkspace } from './workspaces'
import { NewWorkspaceAnswer, WorkspaceAnswer, WorkspaceBody, WorkspaceChangeBody } from './schemas'

export const workspaceRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-workspaces' })
    .post(
      '/console/api/workspaces',
      ...guard.account({ response: NewWorkspaceAnswer, body: WorkspaceBody }, async ({ session, body, address }) => ({
        data: await createWorkspaceFor(appContext, session, body, address),
      })),
    )
    .get(
      '/console/api/workspaces/:workspace_id',
      ...guard.member({ response: WorkspaceAnswer }, async ({ member }) => ({
        data: await getWorkspace(appContext, member.workspaceId),
      })),
    )
    .patch(
      '/console/api/workspaces/:workspace_id',
      ...guard.admin({ response: WorkspaceAnswer, body: WorkspaceChangeBody }, async (input) => ({
        data: await updateWorkspace(appContext, input.member.workspaceId, input.body, auditActorOf(input)),
      })),
    )
