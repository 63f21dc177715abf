/** The bodies of requests that change an account. */

import { type Static, Type } from 'typebox'
import { Password } from '#api/console/schemas'

export const PasswordBody = Type.Object({
  current_password: Type.String({ maxLength: 1000 }),
  new_password: Password,
})
export type PasswordBody = Static<typeof PasswordBody>

export const ResetRequestBody = Type.Object({ email_address: Type.String({ minLength: 1, maxLength: 320 }) })

export const ResetBody = Type.Object({ password: Password })
