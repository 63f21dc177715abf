/** The sign-in settings of a workspace: its provider and its rules. See docs/reference/sign-in.md (Rules of a workspace). */

import { audit, type AuditActor } from '#access/audit-log/audit'
import { findMember } from '#access/members/members'
import { unlinkIdentities } from '#access/providers/sign-ins'
import type { OpenIdProvider } from '#access/providers/openid-client'
import { deleteProvider, findProvider, saveProvider } from '#access/providers/providers'
import { getRules, saveRules, type SignInRules } from '#access/providers/rules'
import { endSessionsOfProvider } from '#access/sessions/sessions'
import { isUuid } from '#vocabulary/uuids'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import type { ValidationIssue } from '#base/errors/api-error'
import { memberNotFound, providerInUse, providerUnknown } from '#base/errors/access'
import { emptyPayload, invalidBody } from '#base/errors/http'
import type { AppContext } from '#context'
import type { Transaction } from '#db/connect'
import { signOutRedirectUri } from '#api/console/session/session'
import type { ProviderBody, RulesBody } from './schemas'
import { redirectUriOf } from './sign-in-at-provider'

/** Never returns the secret. */
export async function getSignInSettings({ db, settings }: AppContext, workspaceId: string): Promise<object> {
  const [provider, rules] = await Promise.all([findProvider(db, workspaceId), getRules(db.sql, workspaceId)])
  return {
    provider: provider === undefined ? null : renderProvider(provider),
    installation_provider: settings.provider === undefined ? null : { name: settings.provider.name },
    redirect_uri: redirectUriOf(settings, workspaceId),
    sign_out_redirect_uri: signOutRedirectUri(settings),
    ...rules,
  }
}

const renderProvider = ({ name, issuer, clientId }: OpenIdProvider) => ({ name, issuer, client_id: clientId })

/** Stores the provider after it was reached. A new issuer or client ends the sessions of the old one. Throws 400. */
export async function putProvider(
  appContext: AppContext,
  workspaceId: string,
  body: ProviderBody,
  auditActor: AuditActor,
): Promise<object> {
  const { db, now, providers } = appContext
  const before = await findProvider(db, workspaceId)
  const provider = readProvider(body, before)
  await providers.check(provider).catch((error: unknown) => {
    throw refused('issuer', error instanceof Error ? error.message : 'The provider could not be reached.')
  })
  const isReplaced = before?.issuer !== provider.issuer || before.clientId !== provider.clientId
  await db.sql.begin(async (tx) => {
    await saveProvider({ sql: tx, secrets: db.secrets }, workspaceId, provider, now())
    if (isReplaced) await endProviderUse(tx, workspaceId)
    const action = before === undefined ? 'provider.created' : 'provider.updated'
    await auditProvider(tx, appContext, workspaceId, { action, provider, auditActor })
  })
  return getSignInSettings(appContext, workspaceId)
}

/** The stored secret goes to no other issuer than the one it was entered for. */
function readProvider({ name, issuer, client_id, client_secret }: ProviderBody, before: OpenIdProvider | undefined) {
  const stored = before?.issuer === issuer ? before.clientSecret : undefined
  const clientSecret = client_secret ?? stored
  if (clientSecret === undefined) throw refused('client_secret', 'Required')
  return { name, issuer, clientId: client_id, clientSecret }
}

const refused = (member: string, message: string, code: ValidationIssue['code'] = 'invalid') =>
  invalidBody([{ code, path: [member], message }])

/** Throws 404, and 409 while members can sign in only through it. */
export async function removeProvider(
  appContext: AppContext,
  workspaceId: string,
  auditActor: AuditActor,
): Promise<object> {
  const { db } = appContext
  // The lock of the data model orders this and `changeRules`.
  await changeWorkspaceModel(db, workspaceId, async ({ tx }) => {
    const provider = await findProvider({ sql: tx, secrets: db.secrets }, workspaceId)
    if (provider === undefined) throw providerUnknown()
    if ((await getRules(tx, workspaceId)).requires_provider) throw providerInUse()
    await deleteProvider(tx, workspaceId)
    await endProviderUse(tx, workspaceId)
    await auditProvider(tx, appContext, workspaceId, { action: 'provider.deleted', provider, auditActor })
  })
  return getSignInSettings(appContext, workspaceId)
}

async function endProviderUse(tx: Transaction, workspaceId: string): Promise<void> {
  await endSessionsOfProvider(tx, workspaceId)
  await unlinkIdentities(tx, workspaceId)
}

interface ProviderChange {
  readonly action: 'provider.created' | 'provider.updated' | 'provider.deleted'
  readonly provider: OpenIdProvider
  readonly auditActor: AuditActor
}

const auditProvider = (
  tx: Transaction,
  { now }: AppContext,
  workspaceId: string,
  { action, provider, auditActor }: ProviderChange,
): Promise<void> => {
  const { name, ...details } = renderProvider(provider)
  return audit(tx, {
    ...auditActor,
    workspaceId,
    action,
    subject: { type: 'provider', id: null, name },
    details,
    now: now(),
  })
}

/** Throws 400 for a rule that would lock all admins out, and 404 for an unknown member. */
export async function changeRules(
  appContext: AppContext,
  workspaceId: string,
  change: RulesBody,
  auditActor: AuditActor,
): Promise<object> {
  const { db, now } = appContext
  if (Object.values(change).every((value) => value === undefined)) throw emptyPayload()
  await changeWorkspaceModel(db, workspaceId, async ({ tx, model: { workspace } }) => {
    const before = await getRules(tx, workspaceId)
    // The body may have other members, which are no rules.
    const { requires_provider, break_glass_member_id, requires_second_factor } = { ...before, ...change }
    const after = { requires_provider, break_glass_member_id, requires_second_factor }
    await requireWayIn(tx, appContext, workspaceId, after)
    await saveRules(tx, workspaceId, after)
    const subject = { type: 'workspace', id: workspaceId, name: workspace.name }
    const details = { before, after }
    await audit(tx, { ...auditActor, workspaceId, action: 'sign-in-rules.updated', subject, details, now: now() })
  })
  return getSignInSettings(appContext, workspaceId)
}

/** With only a provider, one admin keeps the password. */
async function requireWayIn(
  tx: Transaction,
  { db, settings }: AppContext,
  workspaceId: string,
  { requires_provider, break_glass_member_id: id }: SignInRules,
): Promise<void> {
  if (id !== null) {
    const member = isUuid(id) ? await findMember({ sql: tx }, workspaceId, id) : undefined
    if (member === undefined) throw memberNotFound(id)
    if (member.access_level !== 'admin' || member.account_id === null)
      throw refused('break_glass_member_id', 'Choose an administrator with an account')
  }
  if (!requires_provider) return
  if (id === null) throw refused('break_glass_member_id', 'Choose an administrator who keeps the password')
  const hasProvider =
    settings.provider !== undefined || (await findProvider({ sql: tx, secrets: db.secrets }, workspaceId)) !== undefined
  if (!hasProvider) throw refused('requires_provider', 'Set up a provider first')
}
