/**
 * Authenticates the app at a token endpoint. Failures are entries of the audit log, and too many are refused with 429.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import { audit } from '#access/audit-log/audit'
import { checkGuess } from '#access/throttle/guesses'
import { fixedWindow } from '#access/throttle/rules'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { invalidClient } from '#base/errors/protocols/oauth'
import type { TokenRequest } from '#api/http/guard/oauth-endpoint'
import type { App } from '#access/oauth/apps/apps'
import { authenticateClient } from '#access/oauth/clients/authenticate-client'
import { readClientCredentials } from '#access/oauth/clients/client-credentials'
import type { AppContext } from '#context'

const MINUTES = 10 * 60

/** Throws `invalid_client`, and 429 after too many failures. */
export async function requireClient(
  appContext: AppContext,
  { request, parameters, address }: TokenRequest,
): Promise<App> {
  const { db, now } = appContext
  const credentials = readClientCredentials(request.headers.get('authorization'), parameters)
  const clientId = isUuid(credentials.clientId) ? credentials.clientId.toLowerCase() : 'unknown'
  const from = address ?? 'unknown'
  const limits = [
    { subject: `client ${clientId} from ${from}`, rule: fixedWindow(50, MINUTES) },
    { subject: `clients from ${from}`, rule: fixedWindow(200, MINUTES) },
  ]
  const { authentication } = await checkGuess(db, limits, now, async () => {
    const found = await authenticateClient(db, credentials, now())
    return { isRight: found.isClient, authentication: found }
  })
  if (authentication.isClient) return authentication.app
  const { app } = authentication
  // The answer does not wait for the audit log, so its time does not show whether the app exists.
  if (app !== undefined) void auditFailure(appContext, app, address)
  throw invalidClient(credentials.usedHeader)
}

async function auditFailure({ db, now }: AppContext, app: App, address: string | null): Promise<void> {
  const { id, name, workspace_id: workspaceId } = app
  const subject = { type: 'app', id, name }
  await audit(db.sql, {
    workspaceId,
    actor: null,
    action: 'app.authentication-failed',
    subject,
    address,
    now: now(),
  }).catch(
    () => undefined, // the request is refused even when the entry could not be stored
  )
}
