/** The bodies of requests that create or accept an invitation. */

import { type Static, Type } from 'typebox'
import { EmailAddress, Name, Password, SecondName } from '#api/console/schemas'

export const InvitationBody = Type.Object({
  email_address: EmailAddress,
  access_level: Type.Union([Type.Literal('admin'), Type.Literal('member')]),
})
export type InvitationBody = Static<typeof InvitationBody>

export const AcceptanceBody = Type.Object({
  first_name: Name,
  last_name: SecondName,
  /** The password of the account, or of a new account. A signed-in account does not need it. */
  password: Type.Optional(Password),
})
export type AcceptanceBody = Static<typeof AcceptanceBody>
