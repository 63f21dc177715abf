/** The apps of a workspace, their secrets, and the grants of apps in the workspace. Only admins have access. */

import { Elysia } from 'elysia'
import { isUuid } from '../../attribute-types/formats/uuids'
import { emptyPayload } from '../../errors/http'
import { grantNotFound } from '../../errors/oauth'
import type { ConsoleMember } from '../../http/guard/session-guard'
import { listSecrets } from '../../oauth/apps/app-secrets'
import { getApp, listApps } from '../../oauth/apps/apps'
import { listGrants } from '../../oauth/tokens/grants'
import {
  createAppSecret,
  updateApp,
  deleteApp,
  deleteAppSecret,
  registerApp,
  type AuditContext,
} from '../../oauth/apps/register-app'
import { revokeGrant } from '../../oauth/tokens/revoke-grant'
import type { ConsoleContext } from '../console-context'
import { renderApp, renderGrant } from './render'
import { changesOf, CreateAppBody, UpdateAppBody } from './schemas'

const APPS = '/console/api/workspaces/:workspace_id/apps'
const GRANTS = '/console/api/workspaces/:workspace_id/grants'

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

export const appRoutes = (consoleContext: ConsoleContext) =>
  new Elysia({ name: 'console-apps' })
    .use(appOperations(consoleContext))
    .use(secretOperations(consoleContext))
    .use(grantOperations(consoleContext))

function appOperations({ guard, appContext }: ConsoleContext) {
  const { db } = appContext
  const show = async (workspaceId: string, id: string) =>
    renderApp(await getApp(db.sql, workspaceId, id), await listSecrets(db.sql, [id]))

  return new Elysia()
    .get(
      APPS,
      ...guard.admin({}, async ({ member }) => {
        const apps = await listApps(db, member.workspaceId)
        const secrets = await listSecrets(
          db.sql,
          apps.map(({ id }) => id),
        )
        return { data: apps.map((app) => renderApp(app, secrets)) }
      }),
    )
    .post(
      APPS,
      ...guard.admin({ body: CreateAppBody }, async ({ member, body, address }) => {
        const { workspaceId } = member
        const { app, secret } = await registerApp(
          db,
          workspaceId,
          { ...DEFAULTS, ...body },
          auditContext(appContext, member, address),
        )
        return { data: { ...(await show(workspaceId, app.id)), client_secret: secret } }
      }),
    )
    .get(
      `${APPS}/:app_id`,
      ...guard.admin({}, async ({ member, params }) => ({ data: await show(member.workspaceId, params.app_id) })),
    )
    .patch(
      `${APPS}/:app_id`,
      ...guard.admin({ body: UpdateAppBody }, async ({ member, params, body, address }) => {
        const changes = changesOf(body)
        if (Object.keys(changes).length === 0) throw emptyPayload()
        await updateApp(db, member.workspaceId, params.app_id, changes, auditContext(appContext, member, address))
        return { data: await show(member.workspaceId, params.app_id) }
      }),
    )
    .delete(
      `${APPS}/:app_id`,
      ...guard.admin({}, async ({ member, params, address }) => {
        await deleteApp(db, member.workspaceId, params.app_id, auditContext(appContext, member, address))
        return { data: {} }
      }),
    )
}

function secretOperations({ guard, appContext }: ConsoleContext) {
  const { db } = appContext
  return new Elysia()
    .post(
      `${APPS}/:app_id/secrets`,
      ...guard.admin({}, async ({ member, params, address }) => {
        const { id, secret } = await createAppSecret(
          db,
          member.workspaceId,
          params.app_id,
          auditContext(appContext, member, address),
        )
        return { data: { id, client_secret: secret } }
      }),
    )
    .delete(
      `${APPS}/:app_id/secrets/:secret_id`,
      ...guard.admin({}, async ({ member, params, address }) => {
        const { app_id: appId, secret_id: secretId } = params
        await deleteAppSecret(db, member.workspaceId, { appId, secretId }, auditContext(appContext, member, address))
        return { data: {} }
      }),
    )
}

function grantOperations({ guard, appContext }: ConsoleContext) {
  const { db } = appContext
  return new Elysia()
    .get(
      GRANTS,
      ...guard.admin({}, async ({ member }) => ({ data: (await listGrants(db, member.workspaceId)).map(renderGrant) })),
    )
    .delete(
      `${GRANTS}/:grant_id`,
      ...guard.admin({}, async ({ member, params, address }) => {
        const { grant_id } = params
        const revocation = {
          ...auditContext(appContext, member, address),
          reason: 'revoked by an administrator',
        } as const
        const isEnded =
          isUuid(grant_id) && (await db.sql.begin((tx) => revokeGrant(tx, member.workspaceId, grant_id, revocation)))
        if (!isEnded) throw grantNotFound(grant_id)
        return { data: {} }
      }),
    )
}

const auditContext = (
  { now }: ConsoleContext['appContext'],
  { memberId }: ConsoleMember,
  address: string | null,
): AuditContext => ({
  actor: { type: 'workspace-member', id: memberId },
  address,
  now: now(),
})
