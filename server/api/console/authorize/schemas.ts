/** The authorization request of an app, as the consent page shows it. */

import { type Static, Type } from 'typebox'
import { TOKEN_LEVELS } from '#vocabulary/scopes'
import { answerOf, nullable } from '#api/console/schemas'

const ConsentScope = Type.Object({
  scope: Type.String(),
  area: Type.String(),
  level: Type.Enum(['read', 'read-write']),
  /** Whether the scope can destroy data, send data out of the workspace, or read private data. */
  is_dangerous: Type.Boolean(),
  /** The ids of the workspaces in which the app does not have this scope yet. */
  is_new_in: Type.Array(Type.String()),
})
export type ConsentScope = Static<typeof ConsentScope>

export const Consent = Type.Object({
  consent_token: Type.String(),
  app: Type.Object({
    name: Type.String(),
    developer_name: nullable(Type.String()),
    logo_url: nullable(Type.String()),
    website_url: nullable(Type.String()),
    /** Whether it registered itself, so that its name is not verified. */
    is_registered_by_itself: Type.Boolean(),
  }),
  /** Whether the app asks for a token that acts for this person only. */
  token_level: Type.Enum([...TOKEN_LEVELS]),
  redirect_uri: Type.String(),
  redirect_host: Type.String(),
  is_loopback: Type.Boolean(),
  /** The workspaces in which this person can authorize the app. */
  workspaces: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String(), logo_url: nullable(Type.String()) }),
  ),
  /** The workspace that is selected first; null when there is none. */
  workspace_id: nullable(Type.String()),
  scopes: Type.Array(ConsentScope),
})
export type Consent = Static<typeof Consent>

export const ConsentAnswerOutput = answerOf(Consent)
