/** The apps of a workspace and their secrets, for its admins. */

import type { AuditActor } from '#access/audit-log/audit'
import type { AppContext } from '#context'
import { emptyPayload } from '#base/errors/http'
import { type AppSecret, listSecrets } from '#access/oauth/apps/app-secrets'
import { type App, getApp, listApps } from '#access/oauth/apps/apps'
import { createAppSecret, deleteApp, deleteAppSecret, registerApp, updateApp } from '#access/oauth/apps/register-app'
import { changesOf, type CreateAppBody, type UpdateAppBody } from './schemas'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { grantNotFound } from '#base/errors/protocols/oauth'
import { type GrantRow, listGrants, revokeGrant } from '#access/oauth/tokens/grants'
import { timestampFromPostgres } from '#base/timing/clock'

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

export async function listWorkspaceApps({ db }: AppContext, workspaceId: string): Promise<object[]> {
  const apps = await listApps(db, workspaceId)
  const ids = apps.map(({ id }) => id)
  const secrets = await listSecrets(db.sql, ids)
  return apps.map((app) => renderApp(app, secrets))
}

/** Throws 404. */
export const getWorkspaceApp = async ({ db }: AppContext, { workspaceId, id }: AppPath): Promise<object> =>
  renderApp(await getApp(db.sql, workspaceId, id), await listSecrets(db.sql, [id]))

/** Returns the app with its first secret, which cannot be read again. Throws 400 for a redirect URI. */
export async function createWorkspaceApp(
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
export async function updateWorkspaceApp(
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
export const deleteWorkspaceApp = (
  { db, now }: AppContext,
  { workspaceId, id }: AppPath,
  auditActor: AuditActor,
): Promise<void> => deleteApp(db, workspaceId, id, { ...auditActor, now: now() })

/** Returns a secret that cannot be read again. Throws 404, and 400 for a public app and for a third secret. */
export async function createSecret(
  { db, now }: AppContext,
  { workspaceId, id: appId }: AppPath,
  auditActor: AuditActor,
): Promise<object> {
  const { id, secret } = await createAppSecret(db, workspaceId, appId, { ...auditActor, now: now() })
  return { id, client_secret: secret }
}

/** Throws 404 for the app and for the secret. */
export const deleteSecret = (
  { db, now }: AppContext,
  { workspaceId, id: appId }: AppPath,
  secretId: string,
  auditActor: AuditActor,
): Promise<void> => deleteAppSecret(db, workspaceId, { appId, secretId }, { ...auditActor, now: now() })

/** The grants of apps in a workspace, for its admins. */
export const listWorkspaceGrants = async ({ db }: AppContext, workspaceId: string): Promise<object[]> =>
  (await listGrants(db, workspaceId)).map(renderGrant)

/** Throws 404. */
export async function revokeWorkspaceGrant(
  { db, now }: AppContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  auditActor: AuditActor,
): Promise<void> {
  const revocation = { ...auditActor, now: now(), reason: 'revoked by an administrator' } as const
  const isRevoked = isUuid(id) && (await db.sql.begin((tx) => revokeGrant(tx, workspaceId, id, revocation)))
  if (!isRevoked) throw grantNotFound(id)
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
  last_used_at: last_used_at === null ? null : timestampFromPostgres(last_used_at),
})

const renderGrant = ({ app_name, developer_name, logo_url, created_at, last_used_at, app_id, ...grant }: GrantRow) => ({
  ...grant,
  app: { id: app_id, name: app_name, developer_name, logo_url },
  created_at: timestampFromPostgres(created_at),
  last_used_at: last_used_at === null ? null : timestampFromPostgres(last_used_at),
})
