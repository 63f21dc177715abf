/** The bodies of requests that create or update an app. */

import { Type, type Static } from 'typebox'
import { SCOPES_IN_ORDER } from '#vocabulary/scopes'

const optionalText = (maxLength: number, pattern?: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength, ...(pattern === undefined ? {} : { pattern }) }), Type.Null()])

const members = {
  name: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
  description: Type.Optional(optionalText(2000)),
  developer_name: Type.Optional(optionalText(200)),
  website_url: Type.Optional(optionalText(2000, '^https?://')),
  // The pages that show the logo load images over TLS only.
  logo_url: Type.Optional(optionalText(2000, '^https://')),
  is_published: Type.Optional(Type.Boolean()),
  redirect_uris: Type.Array(Type.String(), { minItems: 1, maxItems: 20, uniqueItems: true }),
  scopes: Type.Array(Type.Enum(SCOPES_IN_ORDER), { minItems: 1, maxItems: SCOPES_IN_ORDER.length, uniqueItems: true }),
  allows_plain_pkce: Type.Optional(Type.Boolean()),
  uses_refresh_tokens: Type.Optional(Type.Boolean()),
}

/** `is_public` cannot be updated, because it decides which redirect URIs and secrets an app can have. */
export const CreateAppBody = Type.Object({ ...members, is_public: Type.Optional(Type.Boolean()) })
export type CreateAppBody = Static<typeof CreateAppBody>

export const UpdateAppBody = Type.Partial(Type.Object(members))
export type UpdateAppBody = Static<typeof UpdateAppBody>

/** Returns the changes of a body, without unknown members. */
export const changesOf = (body: UpdateAppBody): UpdateAppBody =>
  Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(members, name)))
