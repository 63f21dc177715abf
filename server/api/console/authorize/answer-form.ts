/**
 * Reads the form of the consent page and answers it. The consent token proves that the form comes from the consent page:
 * only this session got the token, and it works once. See docs/reference/access-and-oauth.md (Consent).
 */

import { sessionRequired, untrustedOrigin } from '#base/errors/access'
import { invalidRequest } from '#base/errors/http'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import { standardCode } from '#api/http/guard/oauth-endpoint'
import { readParameters } from '#api/http/request/read-parameters'
import { newRequestId } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'
import type { AuthorizationError } from '#access/oauth/authorize/authorization-request'
import type { ConsoleContext } from '#api/console/console-context'
import { answerConsent, type ConsentAnswer } from './answer-consent'

/** Returns the answer for the app, or undefined when the page has expired. Throws 400, 401 and 403. */
export async function answerForm(
  { appContext, authenticator }: Pick<ConsoleContext, 'appContext' | 'authenticator'>,
  request: Request,
  address: string | null,
): Promise<{ readonly session: ConsoleSession; readonly answer: ConsentAnswer | undefined }> {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw untrustedOrigin()
  const session = await authenticator.sessionOf(request)
  if (session === undefined) throw sessionRequired()
  const form = await readParameters(request)
  const [consentToken, decision] = [form.get('consent_token') ?? '', form.get('decision')]
  if (decision !== 'allow' && decision !== 'deny') throw invalidRequest('The decision must be allow or deny.')
  const workspaceId = form.get('workspace_id') ?? ''
  const isAllowed = decision === 'allow'
  const errorOf = (error: unknown) => failureForApp(error, request)
  const given = { consentToken, workspaceId, isAllowed, address, errorOf }
  return { session, answer: await answerConsent(appContext, authenticator, session, given) }
}

function failureForApp(error: unknown, request: Request): AuthorizationError {
  const { status, message } = errorFromException(error, request, newRequestId())
  return { error: standardCode(status), description: message }
}
