/**
 * Which app asks at a token endpoint; who is none is noted, and after several times made to wait.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import { audit } from '../../access/audit-log/audit'
import { checkGuess } from '../../access/throttle/guesses'
import { fixedWindow } from '../../access/throttle/rules'
import { isUuid } from '../../attribute-types/formats/uuids'
import { invalidClient } from '../../errors/errors'
import type { TokenRequest } from '../../http/guard/oauth-endpoint'
import type { App } from '../../oauth/apps/apps'
import { authenticateClient } from '../../oauth/clients/authenticate-client'
import { readClientCredentials } from '../../oauth/clients/client-credentials'
import type { AppContext } from '../../platform'

const MINUTES = 10 * 60

/** Throws `invalid_client`, and 429 for whoever tried in vain too often. */
export async function requireClient(
  appContext: AppContext,
  { request, parameters, address }: TokenRequest,
): Promise<App> {
  const { db, now } = appContext
  const credentials = readClientCredentials(request.headers.get('authorization'), parameters)
  const clientId = isUuid(credentials.clientId) ? credentials.clientId.toLowerCase() : 'nobody'
  const from = address ?? 'somewhere'
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
  // Beside the answer, so that its time does not tell whether there is such an app.
  if (app !== undefined) void noteFailure(appContext, app, address)
  throw invalidClient(credentials.usedHeader)
}

async function noteFailure({ db, now }: AppContext, app: App, address: string | null): Promise<void> {
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
    () => undefined, // what could not be noted was refused all the same
  )
}
