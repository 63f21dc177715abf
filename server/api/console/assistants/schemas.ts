/** The endpoint for assistants and the last calls of their tools. */

import { type Static, Type } from 'typebox'
import { answerOf, nullable, Timestamp } from '#api/console/schemas'

const AssistantCall = Type.Object({
  id: Type.String(),
  /** The name of the app or the API key; null when it was deleted. */
  client_name: nullable(Type.String()),
  tool: Type.String(),
  /** The slug of an object or a list. */
  subject: nullable(Type.String()),
  subject_id: nullable(Type.String()),
  /** The HTTP status of the operation. */
  status: Type.Integer(),
  duration_ms: Type.Integer(),
  created_at: Timestamp,
})
export type AssistantCall = Static<typeof AssistantCall>

const Assistants = Type.Object({ url: Type.String(), calls: Type.Array(AssistantCall) })
export type Assistants = Static<typeof Assistants>

export const AssistantsAnswer = answerOf(Assistants)
