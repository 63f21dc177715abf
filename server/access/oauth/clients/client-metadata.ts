/**
 * The metadata with which a client registers itself. RFC 7591, 2; see docs/reference/assistants.md (Registration).
 */

import { Type, type Static } from 'typebox'
import { oauthError } from '#base/errors/protocols/oauth'
import { compileCheck } from '#base/validation/compile-check'
import { problemOfRedirectUri } from '#access/oauth/apps/redirect-uri'

export const ClientMetadata = Type.Object({
  redirect_uris: Type.Array(Type.String(), { minItems: 1, maxItems: 10 }),
  client_name: Type.Optional(Type.String({ maxLength: 100 })),
  client_uri: Type.Optional(Type.String({ maxLength: 2000 })),
  grant_types: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
  response_types: Type.Optional(Type.Array(Type.String(), { maxItems: 10 })),
  scope: Type.Optional(Type.String({ maxLength: 2000 })),
  token_endpoint_auth_method: Type.Optional(
    Type.String({ description: 'Every registered client is public: the response says `none`.' }),
  ),
})

export interface RegisteredMetadata {
  readonly name: string
  readonly websiteUrl: string | null
  readonly redirectUris: readonly string[]
}

const check = compileCheck(ClientMetadata)

/** The addresses of editors, whose schemes are not those of a domain. */
const EDITOR_CALLBACK = /^(?:cursor|vscode|vscode-insiders|windsurf):\/\/[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,10}$/

const UNNAMED = 'Unnamed assistant'

/** Throws `invalid_client_metadata` and `invalid_redirect_uri`. */
export function parseMetadata(body: unknown): RegisteredMetadata {
  const [issue] = check(body)
  if (issue !== undefined) throw invalidMetadata(`${issue.path.join('.')}: ${issue.message}`)
  const metadata = body as Static<typeof ClientMetadata> // as checked
  const { redirect_uris, client_name = '', client_uri, grant_types, response_types } = metadata
  if (grant_types?.includes('authorization_code') === false)
    throw invalidMetadata('grant_types must contain authorization_code.')
  if (response_types?.includes('code') === false) throw invalidMetadata('response_types must contain code.')
  for (const uri of redirect_uris) {
    const problem = EDITOR_CALLBACK.test(uri) ? undefined : problemOfRedirectUri(uri, true)
    if (problem !== undefined) throw oauthError('invalid_redirect_uri', `A redirect URI ${problem}.`)
  }
  return { name: printable(client_name) || UNNAMED, websiteUrl: webAddress(client_uri), redirectUris: redirect_uris }
}

const invalidMetadata = (description: string) => oauthError('invalid_client_metadata', description)

/** The name without control and formatting characters, which could disguise it. */
const printable = (name: string): string => name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim()

const webAddress = (uri: string | undefined): string | null =>
  uri !== undefined && URL.parse(uri)?.protocol === 'https:' ? uri : null
