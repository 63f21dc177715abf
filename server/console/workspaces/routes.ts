import { Elysia } from 'elysia'
import { type Console, auditActorOf } from '../console'
import { changeWorkspace, showWorkspace } from './change'
import { openWorkspace } from './create'
import { WorkspaceBody, WorkspaceChangeBody } from './schemas'

export const workspaceRoutes = ({ guard, appContext }: Console) =>
  new Elysia({ name: 'console-workspaces' })
    .post(
      '/console/api/workspaces',
      ...guard.signedIn({ body: WorkspaceBody }, async ({ session, body, address }) => ({
        data: await openWorkspace(appContext, session, body, address),
      })),
    )
    .get(
      '/console/api/workspaces/:workspace_id',
      ...guard.member({}, async ({ member }) => ({ data: await showWorkspace(appContext, member.workspaceId) })),
    )
    .patch(
      '/console/api/workspaces/:workspace_id',
      ...guard.admin({ body: WorkspaceChangeBody }, async (visit) => ({
        data: await changeWorkspace(appContext, visit.member.workspaceId, visit.body, auditActorOf(visit)),
      })),
    )
