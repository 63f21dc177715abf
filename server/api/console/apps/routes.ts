/** The apps of a workspace, their secrets, and the grants of apps in the workspace. Grants are for admins. */

import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import {
  createSecret,
  createWorkspaceApp,
  deleteSecret,
  deleteWorkspaceApp,
  getWorkspaceApp,
  listWorkspaceApps,
  listWorkspaceGrants,
  revokeWorkspaceGrant,
  updateWorkspaceApp,
} from './apps'
import {
  AppAnswer,
  AppsAnswer,
  CreateAppBody,
  CreatedAppAnswer,
  GrantsAnswer,
  NewSecretAnswer,
  UpdateAppBody,
} from './schemas'
import { Done } from '#api/console/schemas'

const APPS = '/console/api/workspaces/:workspace_id/apps'
const GRANTS = '/console/api/workspaces/:workspace_id/grants'

export const appRoutes = (consoleContext: ConsoleContext) =>
  new Elysia({ name: 'console-apps' })
    .use(appOperations(consoleContext))
    .use(secretOperations(consoleContext))
    .use(grantOperations(consoleContext))

const appOperations = ({ guard, appContext }: ConsoleContext) => {
  const permitted = guard.permitted('apps')
  return new Elysia()
    .get(
      APPS,
      ...permitted({ response: AppsAnswer }, async ({ member }) => ({
        data: await listWorkspaceApps(appContext, member.workspaceId),
      })),
    )
    .post(
      APPS,
      ...permitted({ response: CreatedAppAnswer, body: CreateAppBody }, async (input) => ({
        data: await createWorkspaceApp(appContext, input.member.workspaceId, input.body, auditActorOf(input)),
      })),
    )
    .get(
      `${APPS}/:app_id`,
      ...permitted({ response: AppAnswer }, async (input) => ({
        data: await getWorkspaceApp(appContext, appPathOf(input)),
      })),
    )
    .patch(
      `${APPS}/:app_id`,
      ...permitted({ response: AppAnswer, body: UpdateAppBody }, async (input) => ({
        data: await updateWorkspaceApp(appContext, appPathOf(input), input.body, auditActorOf(input)),
      })),
    )
    .delete(
      `${APPS}/:app_id`,
      ...permitted({ response: Done }, async (input) => {
        await deleteWorkspaceApp(appContext, appPathOf(input), auditActorOf(input))
        return { data: {} }
      }),
    )
}

const secretOperations = ({ guard, appContext }: ConsoleContext) => {
  const permitted = guard.permitted('apps')
  return new Elysia()
    .post(
      `${APPS}/:app_id/secrets`,
      ...permitted({ response: NewSecretAnswer }, async (input) => ({
        data: await createSecret(appContext, appPathOf(input), auditActorOf(input)),
      })),
    )
    .delete(
      `${APPS}/:app_id/secrets/:secret_id`,
      ...permitted({ response: Done }, async (input) => {
        await deleteSecret(appContext, appPathOf(input), input.params.secret_id, auditActorOf(input))
        return { data: {} }
      }),
    )
}

const grantOperations = ({ guard, appContext }: ConsoleContext) =>
  new Elysia()
    .get(
      GRANTS,
      ...guard.admin({ response: GrantsAnswer }, async ({ member }) => ({
        data: await listWorkspaceGrants(appContext, member.workspaceId),
      })),
    )
    .delete(
      `${GRANTS}/:grant_id`,
      ...guard.admin({ response: Done }, async (input) => {
        const grant = { workspaceId: input.member.workspaceId, id: input.params.grant_id }
        await revokeWorkspaceGrant(appContext, grant, auditActorOf(input))
        return { data: {} }
      }),
    )

interface AppInput {
  readonly member: { readonly workspaceId: string }
  readonly params: { readonly app_id: string }
}

const appPathOf = ({ member, params }: AppInput) => ({ workspaceId: member.workspaceId, id: params.app_id })
