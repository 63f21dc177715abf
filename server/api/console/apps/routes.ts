/**
 * The apps of a workspace, their secrets, and the grants of apps in the workspace. Admins have all grants, other members those that
 * act for them.
 */

import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import {
  AppAnswer,
  AppsAnswer,
  changesOf,
  CreateAppBody,
  CreatedAppAnswer,
  GrantsAnswer,
  NewSecretAnswer,
  UpdateAppBody,
} from './schemas'
import { Done } from '#api/console/schemas'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { AuditActor } from '#access/audit-log/audit'
import type { AppContext } from '#context'
import { emptyPayload } from '#base/errors/http'
import { type App, type AppSecret, getApp, listApps, listSecrets } from '#access/oauth/apps/apps'
import { createAppSecret, deleteApp, deleteAppSecret, registerApp, updateApp } from '#access/oauth/apps/register-app'
import { isUuid } from '#vocabulary/uuids'
import { grantNotFound } from '#base/errors/protocols'
import { type GrantRow, isGrantOf, listGrants, revokeGrant } from '#access/oauth/tokens/grants'
import { timestampFromPostgres, timestampOrNull } from '#base/timing/clock'

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
      ...permitted(APPS, { response: AppsAnswer }, async ({ member }) => ({
        data: await listWorkspaceApps(appContext, member.workspaceId),
      })),
    )
    .post(
      ...permitted(APPS, { response: CreatedAppAnswer, body: CreateAppBody }, async (input) => ({
        data: await createWorkspaceApp(appContext, input.member.workspaceId, input.body, auditActorOf(input)),
      })),
    )
    .get(
      ...permitted(`${APPS}/:app_id`, { response: AppAnswer }, async (input) => ({
        data: await getWorkspaceApp(appContext, appPathOf(input)),
      })),
    )
    .patch(
      ...permitted(`${APPS}/:app_id`, { response: AppAnswer, body: UpdateAppBody }, async (input) => ({
        data: await updateWorkspaceApp(appContext, appPathOf(input), input.body, auditActorOf(input)),
      })),
    )
    .delete(
      ...permitted(`${APPS}/:app_id`, { response: Done }, async (input) => {
        await deleteWorkspaceApp(appContext, appPathOf(input), auditActorOf(input))
        return { data: {} }
      }),
    )
}

const secretOperations = ({ guard, appContext }: ConsoleContext) => {
  const permitted = guard.permitted('apps')
  return new Elysia()
    .post(
      ...permitted(`${APPS}/:app_id/secrets`, { response: NewSecretAnswer }, async (input) => ({
        data: await createSecret(appContext, appPathOf(input), auditActorOf(input)),
      })),
    )
    .delete(
      ...permitted(`${APPS}/:app_id/secrets/:secret_id`, { response: Done }, async (input) => {
        await deleteSecret(appContext, appPathOf(input), input.params.secret_id, auditActorOf(input))
        return { data: {} }
      }),
    )
}

const grantOperations = ({ guard, appContext }: ConsoleContext) =>
  new Elysia()
    .get(
      ...guard.member(GRANTS, { response: GrantsAnswer }, async ({ member }) => ({
        data: await listWorkspaceGrants(appContext, member),
      })),
    )
    .delete(
      ...guard.member(`${GRANTS}/:grant_id`, { response: Done }, async (input) => {
        await revokeWorkspaceGrant(appContext, input.member, input.params.grant_id, auditActorOf(input))
        return { data: {} }
      }),
    )

interface AppInput {
  readonly member: { readonly workspaceId: string }
  readonly params: { readonly app_id: string }
}

const appPathOf = ({ member, params }: AppInput) => ({ workspaceId: member.workspaceId, id: params.app_id })

/** The path of an app. */
interface AppPath {
  readonly workspaceId: string
  readonly id: string
}

/** The details of an app that a body does not contain. */
const DEFAULTS = {
  description: null,
  developer_name: null,
  website_url: null,
  logo_url: null,
  is_public: false,
  is_published: false,
  allows_plain_pkce: false,
  uses_refresh_tokens: false,
}

async function listWorkspaceApps({ db }: AppContext, workspaceId: string): Promise<object[]> {
  const apps = await listApps(db, workspaceId)
  const ids = apps.map(({ id }) => id)
  const secrets = await listSecrets(db.sql, ids)
  return apps.map((app) => renderApp(app, secrets))
}

/** Throws 404. */
const getWorkspaceApp = async ({ db }: AppContext, { workspaceId, id }: AppPath): Promise<object> =>
  renderApp(await getApp(db.sql, workspaceId, id), await listSecrets(db.sql, [id]))

/** Returns the app with its first secret, which cannot be read again. Throws 400 for a redirect URI. */
async function createWorkspaceApp(
  appContext: AppContext,
  workspaceId: string,
  body: CreateAppBody,
  auditActor: AuditActor,
): Promise<object> {
  const { db, now } = appContext
  const details = { ...DEFAULTS, ...body }
  const { app, secret } = await registerApp(db, workspaceId, details, { ...auditActor, now: now() })
  return { ...(await getWorkspaceApp(appContext, { workspaceId, id: app.id })), client_secret: secret }
}

/** Throws 404, and 400 for an empty change or a redirect URI. */
async function updateWorkspaceApp(
  appContext: AppContext,
  path: AppPath,
  body: UpdateAppBody,
  auditActor: AuditActor,
): Promise<object> {
  const { db, now } = appContext
  const changes = changesOf(body)
  if (Object.keys(changes).length === 0) throw emptyPayload()
  await updateApp(db, path.workspaceId, path.id, changes, { ...auditActor, now: now() })
  return getWorkspaceApp(appContext, path)
}

/** Throws 404. */
const deleteWorkspaceApp = (
  { db, now }: AppContext,
  { workspaceId, id }: AppPath,
  auditActor: AuditActor,
): Promise<void> => deleteApp(db, workspaceId, id, { ...auditActor, now: now() })

/** Returns a secret that cannot be read again. Throws 404, and 400 for a public app and for a third secret. */
async function createSecret(
  { db, now }: AppContext,
  { workspaceId, id: appId }: AppPath,
  auditActor: AuditActor,
): Promise<object> {
  const { id, secret } = await createAppSecret(db, workspaceId, appId, { ...auditActor, now: now() })
  return { id, client_secret: secret }
}

/** Throws 404 for the app and for the secret. */
const deleteSecret = (
  { db, now }: AppContext,
  { workspaceId, id: appId }: AppPath,
  secretId: string,
  auditActor: AuditActor,
): Promise<void> => deleteAppSecret(db, workspaceId, { appId, secretId }, { ...auditActor, now: now() })

async function listWorkspaceGrants(
  { db }: AppContext,
  { workspaceId, memberId, accessLevel }: ConsoleMember,
): Promise<object[]> {
  const grants = await listGrants(db, workspaceId, accessLevel === 'admin' ? undefined : memberId)
  return grants.map(renderGrant)
}

/** Throws 404, also for a member who is no admin and for whom the grant does not act. */
async function revokeWorkspaceGrant(
  { db, now }: AppContext,
  { workspaceId, memberId, accessLevel }: ConsoleMember,
  id: string,
  auditActor: AuditActor,
): Promise<void> {
  if (!isUuid(id)) throw grantNotFound(id)
  await db.sql.begin(async (tx) => {
    const isOwn = await isGrantOf(tx, workspaceId, id, memberId)
    if (!isOwn && accessLevel !== 'admin') throw grantNotFound(id)
    const reason = isOwn ? 'revoked by its member' : 'revoked by an administrator'
    if (!(await revokeGrant(tx, workspaceId, id, { ...auditActor, now: now(), reason }))) throw grantNotFound(id)
  })
}

/** Renders an app with its secrets. The workspace is in the path. */
function renderApp({ workspace_id: _, created_at, ...app }: App, secrets: readonly AppSecret[]) {
  return {
    ...app,
    client_id: app.id,
    secrets: secrets.filter(({ app_id }) => app_id === app.id).map(renderSecret),
    created_at: timestampFromPostgres(created_at),
  }
}

const renderSecret = ({ id, hint, created_at, last_used_at }: AppSecret) => ({
  id,
  hint,
  created_at: timestampFromPostgres(created_at),
  last_used_at: timestampOrNull(last_used_at),
})

const renderGrant = ({ app_name, developer_name, logo_url, created_at, last_used_at, app_id, ...grant }: GrantRow) => ({
  ...grant,
  app: { id: app_id, name: app_name, developer_name, logo_url },
  created_at: timestampFromPostgres(created_at),
  last_used_at: timestampOrNull(last_used_at),
})
