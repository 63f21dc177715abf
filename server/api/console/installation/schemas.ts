/** The schemas of what concerns the whole installation. */

import { type Static, Type } from 'typebox'
import { answerOf, nullable, Timestamp } from '#api/console/schemas'

export const DecisionBody = Type.Object({
  decision: Type.Enum(['move', 'copy'], {
    description: 'Send everything that waits from the new address, or drop it and deactivate all webhooks.',
  }),
})

const BackupsOutput = Type.Object({
  every_seconds: Type.Number(),
  /** Since when they are scheduled. */
  since: Timestamp,
  /** When the newest one began that succeeded. */
  last_succeeded_at: nullable(Timestamp),
  is_failing: Type.Boolean(),
  /** Whether none has succeeded for twice the time between two. */
  is_overdue: Type.Boolean(),
})
export type BackupsOutput = Static<typeof BackupsOutput>

export const BackupsAnswer = answerOf(nullable(BackupsOutput))
