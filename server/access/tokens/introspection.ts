/**
 * Renders the introspection of a valid token, for a request with the token or for its app.
 * See docs/reference/access-and-oauth.md (Who am I, Introspection).
 */

import type { Workspace } from '#engine/data-model/model'
import { type Area, AREAS, type Scope } from '#vocabulary/scopes'
import type { Token } from './tokens'
import { type Static, Type } from 'typebox'

const MICROS_PER_SECOND = 1_000_000

export interface ActiveToken {
  active: true
  scope: string
  client_id: string
  token_type: 'Bearer'
  exp: number | null
  iat: number
  sub: string
  aud: string
  iss: string
  authorized_by_workspace_member_id: string
  workspace_id: string
  workspace_name: string
  workspace_slug: string
  workspace_logo_url: string | null
}

export function renderIntrospection(token: Token, workspace: Workspace, issuer: string): ActiveToken {
  return {
    active: true,
    scope: renderScopes(token.scopes),
    client_id: token.clientId,
    token_type: 'Bearer',
    exp: token.expiresAt === null ? null : Math.floor(token.expiresAt / MICROS_PER_SECOND),
    iat: Math.floor(token.createdAt / MICROS_PER_SECOND),
    sub: workspace.id,
    aud: token.clientId,
    iss: issuer,
    authorized_by_workspace_member_id: token.authorizedBy,
    workspace_id: workspace.id,
    workspace_name: workspace.name,
    workspace_slug: workspace.slug,
    workspace_logo_url: workspace.logo_url,
  }
}

/** Names the scopes in the order of the areas. `read` is not named when `read-write` includes it. */
function renderScopes(scopes: ReadonlySet<Scope>): string {
  const shown = (Object.keys(AREAS) as Area[]).flatMap((area): Scope[] => {
    const [write, read] = [`${area}:read-write`, `${area}:read`] as const
    return scopes.has(write) ? [write] : scopes.has(read) ? [read] : []
  })
  return shown.join(' ')
}

/** The schemas of introspection. See docs/reference/access-and-oauth.md (Who am I). */
const InactiveSchema = Type.Object({ active: Type.Literal(false) })

const ActiveSchema = Type.Object({
  active: Type.Literal(true),
  scope: Type.String({ description: 'Separated by spaces.' }),
  client_id: Type.String(),
  token_type: Type.Literal('Bearer'),
  exp: Type.Union([Type.Number(), Type.Null()], { description: 'Seconds since 1970.' }),
  iat: Type.Number({ description: 'Seconds since 1970.' }),
  sub: Type.String({ format: 'uuid', description: 'The id of the workspace.' }),
  aud: Type.String(),
  iss: Type.String(),
  authorized_by_workspace_member_id: Type.String({ format: 'uuid' }),
  workspace_id: Type.String({ format: 'uuid' }),
  workspace_name: Type.String(),
  workspace_slug: Type.String(),
  workspace_logo_url: Type.Union([Type.String({ format: 'uri' }), Type.Null()]),
})

export const IntrospectionSchema = Type.Union([InactiveSchema, ActiveSchema])

export type Introspection = Static<typeof IntrospectionSchema>
