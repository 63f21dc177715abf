/** Inviting, and accepting. */

import { type Static, Type } from 'typebox'
import { EmailAddress, Name, Password, SecondName } from '../schemas'

export const InvitationBody = Type.Object({
  email_address: EmailAddress,
  access_level: Type.Union([Type.Literal('admin'), Type.Literal('member')]),
})
export type InvitationBody = Static<typeof InvitationBody>

export const AcceptanceBody = Type.Object({
  first_name: Name,
  last_name: SecondName,
  /** A new one of whoever has no account yet, or theirs; not needed by whoever is signed in. */
  password: Type.Optional(Password),
})
export type AcceptanceBody = Static<typeof AcceptanceBody>
