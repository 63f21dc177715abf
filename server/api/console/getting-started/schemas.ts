/** See docs/decisions/console.md (Home). */

import { type Static, Type } from 'typebox'
import { answerOf } from '#api/console/schemas'

export const GettingStartedAnswer = answerOf(
  Type.Object({
    has_imported: Type.Boolean(),
    has_invited: Type.Boolean(),
    has_pipeline: Type.Boolean(),
    has_connected: Type.Boolean(),
  }),
)
export type GettingStartedAnswer = Static<typeof GettingStartedAnswer>
