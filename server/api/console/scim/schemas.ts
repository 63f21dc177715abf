/** What an admin needs to connect an identity provider. */

import { type Static, Type } from 'typebox'
import { answerOf, nullable, Timestamp } from '#api/console/schemas'

const ScimRequest = Type.Object({
  id: Type.String(),
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  /** The text of the error. */
  detail: nullable(Type.String()),
  user_agent: nullable(Type.String()),
  duration_ms: Type.Integer(),
  created_at: Timestamp,
})
export type ScimRequest = Static<typeof ScimRequest>

/** The requests are the newest first. */
const ScimStatus = Type.Object({ base_url: Type.String(), requests: Type.Array(ScimRequest) })
export type ScimStatus = Static<typeof ScimStatus>

export const ScimStatusAnswer = answerOf(ScimStatus)
