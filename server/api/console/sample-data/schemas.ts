/** See docs/decisions/console.md (Home). */

import { type Static, Type } from 'typebox'
import { answerOf, nullable } from '#api/console/schemas'

const ChangedRecord = Type.Object({ object: Type.String(), record_id: Type.String(), name: Type.String() })
export type ChangedRecord = Static<typeof ChangedRecord>

/** The sample data of a workspace; null without any. `changed` are the records that were changed, or got something such as a note, since they were filled. */
export const SampleDataAnswer = answerOf(
  nullable(Type.Object({ records: Type.Integer(), changed: Type.Array(ChangedRecord) })),
)
export type SampleDataAnswer = Static<typeof SampleDataAnswer>

export const SampleDataRemoval = Type.Object({
  keeps_changed: Type.Boolean({
    description: 'Whether sample records stay that were changed, or got something such as a note.',
  }),
})

export const SampleDataRemovalAnswer = answerOf(Type.Object({ removed: Type.Integer(), kept: Type.Integer() }))
export type SampleDataRemovalAnswer = Static<typeof SampleDataRemovalAnswer>
