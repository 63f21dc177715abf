/** The bodies of requests that create or update an app. */

import { Type, type Static } from 'typebox'
import { SCOPES_IN_ORDER, TOKEN_LEVELS } from '#vocabulary/scopes'
import { answerOf, listOf, nullable, ScopeName, Timestamp } from '#api/console/schemas'

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

const AppSecret = Type.Object({
  id: Type.String(),
  hint: Type.String(),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
})
export type AppSecretOutput = Static<typeof AppSecret>

const AppOutput = Type.Object({
  id: Type.String(),
  client_id: Type.String(),
  name: Type.String(),
  description: nullable(Type.String()),
  developer_name: nullable(Type.String()),
  website_url: nullable(Type.String()),
  logo_url: nullable(Type.String()),
  /** Whether the app is a public client, which has no secret. Set at its creation only. */
  is_public: Type.Boolean(),
  is_published: Type.Boolean(),
  redirect_uris: Type.Array(Type.String()),
  scopes: Type.Array(ScopeName),
  allows_plain_pkce: Type.Boolean(),
  uses_refresh_tokens: Type.Boolean(),
  secrets: Type.Array(AppSecret),
  created_at: Timestamp,
})
export type AppOutput = Static<typeof AppOutput>

/** The secret cannot be read again. A public app has none. */
const CreatedApp = Type.Object({ ...AppOutput.properties, client_secret: nullable(Type.String()) })
export type CreatedApp = Static<typeof CreatedApp>

export const AppsAnswer = listOf(AppOutput)
export const AppAnswer = answerOf(AppOutput)
export const CreatedAppAnswer = answerOf(CreatedApp)
export const NewSecretAnswer = answerOf(Type.Object({ id: Type.String(), client_secret: Type.String() }))
export type NewSecretAnswer = Static<typeof NewSecretAnswer>

const GrantOutput = Type.Object({
  id: Type.String(),
  app: Type.Object({
    id: Type.String(),
    name: Type.String(),
    developer_name: nullable(Type.String()),
    logo_url: nullable(Type.String()),
  }),
  workspace_member_id: Type.String(),
  scopes: Type.Array(ScopeName),
  /** `mcp` for an assistant, whose tokens are for `/mcp` only. */
  resource: nullable(Type.Literal('mcp')),
  /** `user` for one whose tokens act for the member. */
  level: Type.Enum([...TOKEN_LEVELS]),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
})
export type GrantOutput = Static<typeof GrantOutput>

export const GrantsAnswer = listOf(GrantOutput)
