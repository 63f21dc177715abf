/**
 * An app comes, changes and goes. Each is a line in the audit log, written with it.
 * See docs/reference/access-and-oauth.md (Apps, Secrets and the audit log).
 */

import type { Database, Transaction } from '../../../db/connect'
import { audit, type AuditActor } from '../../access/audit-log/audit'
import { appSecretNotFound, invalidBody, invalidRequest, type ValidationIssue } from '../../errors/errors'
import type { Micros } from '../../timing/clock'
import { createSecret, removeSecret } from './app-secrets'
import { getApp, insertApp, lockApp, removeApp, saveApp, type App, type AppSettings } from './apps'
import { endGrant, liveGrantsOf } from '../tokens/grants'
import { problemOfRedirectUri } from './redirect-uri'

/** Who does it, and when. */
export interface Doing extends AuditActor {
  readonly now: Micros
}

/** With its first secret, which is known to nobody after this; a public app has none. */
export async function registerApp(
  db: Database,
  workspaceId: string,
  settings: AppSettings,
  doing: Doing,
): Promise<{ app: App; secret: string | null }> {
  refuseBadRedirects(settings)
  return db.sql.begin(async (tx) => {
    const app = await insertApp(tx, workspaceId, settings, doing.now)
    const secret = app.is_public ? null : (await createSecret(tx, app.id, doing.now)).secret
    await note(tx, app, 'app.created', doing, { scopes: app.scopes, redirect_uris: app.redirect_uris })
    return { app, secret }
  })
}

/** Tokens that were issued keep what they were granted. See docs/reference/access-and-oauth.md (Apps). */
export async function changeApp(
  db: Database,
  workspaceId: string,
  id: string,
  changes: Partial<Omit<AppSettings, 'is_public'>>,
  doing: Doing,
): Promise<App> {
  return db.sql.begin(async (tx) => {
    await lockApp(tx, (await getApp(tx, workspaceId, id)).id)
    const app = { ...(await getApp(tx, workspaceId, id)), ...changes }
    refuseBadRedirects(app)
    await saveApp(tx, app)
    await note(tx, app, 'app.updated', doing, changes)
    return app
  })
}

/** Ends all that it was granted, in every workspace, at once. */
export async function deleteApp(db: Database, workspaceId: string, id: string, doing: Doing): Promise<void> {
  await db.sql.begin(async (tx) => {
    const app = await getApp(tx, workspaceId, id)
    // Nobody gets a token of it any more from here on.
    await lockApp(tx, app.id)
    const live = await liveGrantsOf(tx, app.id)
    for (const grant of live) await endGrant(tx, grant.workspace_id, grant.id, doing.now)
    await removeApp(tx, app)
    await note(tx, app, 'app.deleted', doing, { grants: live.length })
  })
}

export async function addSecret(
  db: Database,
  workspaceId: string,
  appId: string,
  doing: Doing,
): Promise<{ id: string; secret: string }> {
  return db.sql.begin(async (tx) => {
    const app = await getApp(tx, workspaceId, appId)
    if (app.is_public) throw invalidRequest('A public app has no secrets: it could not keep them.')
    const made = await createSecret(tx, app.id, doing.now)
    await note(tx, app, 'app.secret-created', doing, { secret_id: made.id })
    return made
  })
}

export async function deleteSecret(
  db: Database,
  workspaceId: string,
  { appId, secretId }: { readonly appId: string; readonly secretId: string },
  doing: Doing,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    const app = await getApp(tx, workspaceId, appId)
    if (!(await removeSecret(tx, app.id, secretId))) throw appSecretNotFound(secretId)
    await note(tx, app, 'app.secret-deleted', doing, { secret_id: secretId })
  })
}

function refuseBadRedirects({ redirect_uris, is_public }: AppSettings): void {
  const issues = redirect_uris.flatMap((uri, index): ValidationIssue[] => {
    const problem = problemOfRedirectUri(uri, is_public)
    return problem === undefined
      ? []
      : [{ code: 'invalid', path: ['redirect_uris', index], message: `A redirect URI ${problem}` }]
  })
  if (issues.length > 0) throw invalidBody(issues)
}

const note = (
  tx: Transaction,
  app: App,
  action: `app.${string}`,
  { actor, address, now }: Doing,
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
