/**
 * Creates, updates and deletes apps and their secrets. Each change is an entry of the audit log in the same transaction.
 * See docs/reference/access-and-oauth.md (Apps, Secrets and the audit log).
 */

import type { Database, Transaction } from '#db/connect'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { appSecretNotFound } from '#base/errors/protocols'
import { invalidBody, invalidRequest } from '#base/errors/http'
import { type ValidationIssue } from '#base/errors/api-error'
import type { Micros } from '#base/timing/clock'
import {
  type App,
  type AppDetails,
  deleteAppRow,
  deleteSecretRow,
  getApp,
  insertApp,
  insertSecret,
  lockApp,
  updateAppRow,
} from './apps'
import { revokeWithoutAudit, listActiveGrants } from '#access/oauth/tokens/grants'
import { problemOfRedirectUri } from './redirect-uri'

/** Who makes a change, from which network address, and when. */
export interface AuditContext extends AuditActor {
  readonly now: Micros
}

/** Returns the app with its first secret, which cannot be read again. A public app has no secret. */
export async function registerApp(
  db: Database,
  workspaceId: string,
  settings: AppDetails,
  auditContext: AuditContext,
): Promise<{ app: App; secret: string | null }> {
  requireValidRedirectUris(settings)
  return db.sql.begin(async (tx) => {
    const app = await insertApp(tx, workspaceId, settings, auditContext.now)
    const secret = app.is_public ? null : (await insertSecret(tx, app.id, auditContext.now)).secret
    await auditApp(tx, app, 'app.created', auditContext, { scopes: app.scopes, redirect_uris: app.redirect_uris })
    return { app, secret }
  })
}

/** Tokens that were issued keep their scopes. See docs/reference/access-and-oauth.md (Apps). */
export async function updateApp(
  db: Database,
  workspaceId: string,
  id: string,
  changes: Partial<Omit<AppDetails, 'is_public'>>,
  auditContext: AuditContext,
): Promise<App> {
  return db.sql.begin(async (tx) => {
    await lockApp(tx, (await getApp(tx, workspaceId, id)).id)
    const app = { ...(await getApp(tx, workspaceId, id)), ...changes }
    requireValidRedirectUris(app)
    await updateAppRow(tx, app)
    await auditApp(tx, app, 'app.updated', auditContext, changes)
    return app
  })
}

/** Revokes all grants of the app in all workspaces. */
export async function deleteApp(
  db: Database,
  workspaceId: string,
  id: string,
  auditContext: AuditContext,
): Promise<void> {
  await db.sql.begin(async (tx) => deleteAppWithGrants(tx, await getApp(tx, workspaceId, id), auditContext))
}

/** Does the same within a transaction. */
export async function deleteAppWithGrants(tx: Transaction, app: App, auditContext: AuditContext): Promise<void> {
  // While the app is locked, no token of it can be issued.
  await lockApp(tx, app.id)
  const grants = await listActiveGrants(tx, app.id)
  for (const grant of grants) await revokeWithoutAudit(tx, grant.workspace_id, grant.id, auditContext.now)
  await deleteAppRow(tx, app)
  await auditApp(tx, app, 'app.deleted', auditContext, { grants: grants.length })
}

export async function createAppSecret(
  db: Database,
  workspaceId: string,
  appId: string,
  auditContext: AuditContext,
): Promise<{ id: string; secret: string }> {
  return db.sql.begin(async (tx) => {
    const app = await getApp(tx, workspaceId, appId)
    if (app.is_public) throw invalidRequest('A public app has no secrets, because it cannot keep them confidential.')
    const created = await insertSecret(tx, app.id, auditContext.now)
    await auditApp(tx, app, 'app.secret-created', auditContext, { secret_id: created.id })
    return created
  })
}

export async function deleteAppSecret(
  db: Database,
  workspaceId: string,
  { appId, secretId }: { readonly appId: string; readonly secretId: string },
  auditContext: AuditContext,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const app = await getApp(tx, workspaceId, appId)
    if (!(await deleteSecretRow(tx, app.id, secretId))) throw appSecretNotFound(secretId)
    await auditApp(tx, app, 'app.secret-deleted', auditContext, { secret_id: secretId })
  })
}

function requireValidRedirectUris({ redirect_uris, is_public }: AppDetails): void {
  const issues = redirect_uris.flatMap((uri, index): ValidationIssue[] => {
    const problem = problemOfRedirectUri(uri, is_public)
    return problem === undefined
      ? []
      : [{ code: 'invalid', path: ['redirect_uris', index], message: `A redirect URI ${problem}` }]
  })
  if (issues.length > 0) throw invalidBody(issues)
}

const auditApp = (
  tx: Transaction,
  app: App,
  action: `app.${string}`,
  { actor, address, now }: AuditContext,
  details: Readonly<Record<string, unknown>>,
): Promise<void> =>
  audit(tx, {
    workspaceId: app.workspace_id,
    actor,
    action,
    subject: { type: 'app', id: app.id, name: app.name },
    details,
    address,
    now,
  })
