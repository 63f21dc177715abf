/** The schemas of introspection. See docs/reference/access-and-oauth.md (Who am I). */

import { Type, type Static } from 'typebox'

export const InactiveSchema = Type.Object({ active: Type.Literal(false) })

export const ActiveSchema = Type.Object({
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
