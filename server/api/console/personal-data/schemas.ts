/** Exports and erasures of people. See docs/privacy.md. */

import { type Static, Type } from 'typebox'
import { answerOf } from '#api/console/schemas'

const Address = Type.String({ minLength: 1, maxLength: 320 })

export const PersonBody = Type.Object({ email_address: Address })
export type PersonBody = Static<typeof PersonBody>

/** `confirmation` repeats the address. */
export const ErasureBody = Type.Object({ email_address: Address, confirmation: Address })
export type ErasureBody = Static<typeof ErasureBody>

const Count = Type.Integer({ minimum: 0 })

const ErasureOutput = Type.Object({
  addresses: Type.Array(Type.String()),
  names: Type.Array(Type.String()),
  shared_names: Type.Array(Type.String()),
  records: Count,
  trashed_records: Count,
  is_member: Type.Boolean(),
  rows: Type.Array(Type.Object({ table: Type.String(), rows: Count })),
  running_imports: Count,
  backups_end_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
})
export type ErasureOutput = Static<typeof ErasureOutput>

export const ErasureAnswer = answerOf(ErasureOutput)
