/**
 * Reads the credentials of a client from the Authorization header or from the body. A public client sends only its id.
 * See docs/reference/access-and-oauth.md (Token endpoint).
 */

import { invalidClient, oauthError } from '#base/errors/protocols/oauth'

export interface ClientCredentials {
  readonly clientId: string
  /** Undefined for a public app, which has no secret. */
  readonly secret: string | undefined
  readonly usedHeader: boolean
}

export type Parameters = ReadonlyMap<string, string>

/** Throws `invalid_request` for credentials in two places or in none. RFC 6749, 2.3. */
export function readClientCredentials(header: string | null, parameters: Parameters): ClientCredentials {
  const [clientId, secret] = [parameters.get('client_id'), parameters.get('client_secret')]
  if (header !== null && header.trim() !== '') {
    const fromHeader = readBasic(header)
    if (secret !== undefined || (clientId !== undefined && clientId !== fromHeader.clientId)) {
      throw oauthError('invalid_request', 'The client must authenticate in one way only: by header or by body.')
    }
    return fromHeader
  }
  if (clientId === undefined) throw oauthError('invalid_request', 'client_id is missing.')
  return { clientId, secret, usedHeader: false }
}

/** Both parts of the header are form-encoded. RFC 6749, 2.3.1. */
function readBasic(header: string): ClientCredentials {
  const [, encoded] = /^basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(header.trim()) ?? []
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) throw invalidClient(true)
  const [clientId, secret] = [formDecode(text.slice(0, colon)), formDecode(text.slice(colon + 1))]
  return { clientId, secret: secret === '' ? undefined : secret, usedHeader: true }
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
