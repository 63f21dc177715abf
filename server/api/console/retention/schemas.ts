/** The retention rules of objects. */

import { type Static, Type } from 'typebox'
import { answerOf, nullable, Timestamp } from '#api/console/schemas'
import { RETENTION_ACTIONS } from '#vocabulary/data-model'

const Days = Type.Integer({ minimum: 1, maximum: 36_500 })

const Rule = Type.Object({ days: Days, action: Type.Enum([...RETENTION_ACTIONS]) })

/** Null deletes the rule. */
export const RetentionBody = Type.Object({ rule: nullable(Rule) })
export type RetentionBody = Static<typeof RetentionBody>

const RetentionOutput = Type.Object({
  rule: nullable(Rule),
  /** When the rule runs next, or runs at present. */
  next_run_at: nullable(Timestamp),
  last_run: nullable(Type.Object({ ended_at: Timestamp, deleted_records: Type.Integer({ minimum: 0 }) })),
})
export type RetentionOutput = Static<typeof RetentionOutput>

export const RetentionPreviewBody = Type.Object({ days: Days })

const RetentionPreview = Type.Object({
  /** How many records had no change for so many days. */
  records: Type.Integer({ minimum: 0 }),
  /** False when the object has more records than are read. */
  is_complete: Type.Boolean(),
})
export type RetentionPreview = Static<typeof RetentionPreview>

export const RetentionAnswer = answerOf(RetentionOutput)
export const RetentionPreviewAnswer = answerOf(RetentionPreview)
