import { Elysia } from 'elysia'
import { type Console, doerOf } from '../console'
import { changeWorkspace, showWorkspace } from './change'
import { openWorkspace } from './create'
import { WorkspaceBody, WorkspaceChangeBody } from './schemas'

export const workspaceRoutes = ({ door, platform }: Console) =>
  new Elysia({ name: 'console-workspaces' })
    .post(
      '/console/api/workspaces',
      ...door.signedIn({ body: WorkspaceBody }, async ({ session, body, address }) => ({
        data: await openWorkspace(platform, session, body, address),
      })),
    )
    .get(
      '/console/api/workspaces/:workspace_id',
      ...door.member({}, async ({ member }) => ({ data: await showWorkspace(platform, member.workspaceId) })),
    )
    .patch(
      '/console/api/workspaces/:workspace_id',
      ...door.admin({ body: WorkspaceChangeBody }, async (visit) => ({
        data: await changeWorkspace(platform, visit.member.workspaceId, visit.body, doerOf(visit)),
      })),
    )
