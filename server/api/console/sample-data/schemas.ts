/** See docs/decisions/console.md (Home). */

import { type Static, Type } from 'typebox'
import { answerOf, nullable } from '#api/console/schemas'

const ChangedRecord = Type.Object({ object: Type.String(), record_id: Type.String(), name: Type.String() })
export type ChangedRecord = Static<typeof ChangedRecord>

/** Null without sample data. `changed` are the records that somebody has changed, or added something to. */
export const SampleDataAnswer = answerOf(
  nullable(Type.Object({ records: Type.Integer(), changed: Type.Array(ChangedRecord) })),
)
export type SampleDataAnswer = Static<typeof SampleDataAnswer>

export const SampleDataRemoval = Type.Object({
  keeps_changed: Type.Boolean({
    description: 'Whether records stay that somebody has changed, or added something to.',
  }),
})

export const SampleDataRemovalAnswer = answerOf(Type.Object({ removed: Type.Integer(), kept: Type.Integer() }))
export type SampleDataRemovalAnswer = Static<typeof SampleDataRemovalAnswer>
