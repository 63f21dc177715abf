/** The bodies of requests that change an account. */

import { type Static, Type } from 'typebox'
import { LANGUAGES } from '#vocabulary/languages'
import { Password, listOf, nullable, Timestamp } from '#api/console/schemas'

export const AccountBody = Type.Object({ language: Type.Enum([...LANGUAGES]) })

export const PasswordBody = Type.Object({
  current_password: Type.String({ maxLength: 1000 }),
  new_password: Password,
})
export type PasswordBody = Static<typeof PasswordBody>

export const ResetRequestBody = Type.Object({ email_address: Type.String({ minLength: 1, maxLength: 320 }) })

export const ResetBody = Type.Object({ password: Password })

export const AccountSession = Type.Object({
  id: Type.String(),
  user_agent: Type.String(),
  address: nullable(Type.String()),
  created_at: Timestamp,
  last_used_at: Timestamp,
  method: Type.Enum(['password', 'passkey', 'provider']),
  second_factor: nullable(Type.Enum(['passkey', 'totp', 'recovery-code', 'provider'])),
  is_current: Type.Boolean(),
})
export type AccountSession = Static<typeof AccountSession>

export const AccountSessionsAnswer = listOf(AccountSession)
