/**
 * Renders the introspection of a valid token, for a request with the token or for its app.
 * See docs/reference/access-and-oauth.md (Who am I, Introspection).
 */

import type { AppContext } from '#context'
import type { Workspace } from '#engine/data-model/model'
import { type Area, AREAS, type Scope, TOKEN_LEVELS, type TokenLevel } from '#vocabulary/scopes'
import { presentToken, type Token } from './tokens'
import { type Static, Type } from 'typebox'

const MICROS_PER_SECOND = 1_000_000

export interface ActiveToken {
  active: true
  scope: string
  client_id: string
  token_type: 'Bearer'
  token_level: TokenLevel
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

/** Undefined stands for an unknown token. A token that acts for a suspended member is inactive as well. */
export async function introspectToken(
  { models, settings }: Pick<AppContext, 'models' | 'settings'>,
  token: Token | undefined,
): Promise<ActiveToken | { active: false }> {
  if (token === undefined) return { active: false }
  const model = await models.get(token.workspaceId)
  const present = presentToken(token, model)
  return present === undefined ? { active: false } : renderIntrospection(present, model.workspace, settings.issuer)
}

function renderIntrospection(token: Token, workspace: Workspace, issuer: string): ActiveToken {
  return {
    active: true,
    scope: renderScopes(token.scopes),
    client_id: token.clientId,
    token_type: 'Bearer',
    token_level: token.level,
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
  token_level: Type.Enum([...TOKEN_LEVELS], {
    description: 'Whether the token acts for the member who authorised it, with the access of this member.',
  }),
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
