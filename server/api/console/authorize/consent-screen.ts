/** The data of the consent page. */

import { listWorkspacesOf } from '#access/members/memberships'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AuthorizationRequest } from '#access/oauth/authorize/authorization-request'
import { createConsent } from '#access/oauth/authorize/consents'
import { grantedScopes } from '#access/oauth/tokens/grants'
import { canBeInstalledIn } from '#access/oauth/apps/apps'
import { hostOf, isLoopback } from '#access/oauth/apps/redirect-uri'
import { sortScopes, describeForConsent, type DescribedScope } from '#access/oauth/requested-scopes'
import type { AppContext } from '#context'
import { includesScope, type Scope } from '#vocabulary/scopes'

export interface ConsentScreen {
  readonly consent_token: string
  readonly app: {
    readonly name: string
    readonly developer_name: string | null
    readonly logo_url: string | null
    readonly website_url: string | null
    /** Whether it registered itself, so that its name is not verified. */
    readonly is_registered_by_itself: boolean
  }
  readonly redirect_uri: string
  readonly redirect_host: string
  readonly is_loopback: boolean
  /** The workspaces in which this person can install the app. */
  readonly workspaces: readonly { id: string; name: string; slug: string; logo_url: string | null }[]
  /** The workspace that is selected first; null when there is none. */
  readonly workspace_id: string | null
  readonly scopes: readonly ConsentScope[]
}

interface ConsentScope extends DescribedScope {
  /** The ids of the workspaces in which the app does not have this scope yet. */
  readonly is_new_in: readonly string[]
}

export async function createConsentScreen(
  { db, now }: AppContext,
  session: ConsoleSession,
  request: AuthorizationRequest,
): Promise<ConsentScreen> {
  const { app, redirectUri, scopes } = request
  const all = await listWorkspacesOf(db, session)
  const workspaces = all.filter(
    ({ id, access_level, missing_step }) =>
      access_level === 'admin' && missing_step === null && canBeInstalledIn(app, id),
  )
  const ids = workspaces.map(({ id }) => id)
  const granted = await grantedScopes(db.sql, app.id, ids)
  const { name, developer_name, logo_url, website_url } = app
  return {
    consent_token: await createConsent(db.sql, session.id, request, now()),
    app: { name, developer_name, logo_url, website_url, is_registered_by_itself: app.workspace_id === null },
    redirect_uri: redirectUri,
    redirect_host: hostOf(redirectUri),
    is_loopback: isLoopback(redirectUri),
    workspaces: workspaces.map(({ id, name, slug, logo_url }) => ({ id, name, slug, logo_url })),
    workspace_id: ids.find((id) => id === request.workspaceId) ?? ids[0] ?? null,
    scopes: sortScopes(scopes).map((scope) => ({
      ...describeForConsent(scope),
      is_new_in: ids.filter((id) => !includesScope(granted.get(id) ?? NO_SCOPES, scope)),
    })),
  }
}

const NO_SCOPES: ReadonlySet<Scope> = new Set()
