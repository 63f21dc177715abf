/** The bodies of requests that create or accept an invitation. */

import { type Static, Type } from 'typebox'
import { EmailAddress, Name, Password, SecondName, answerOf, listOf, nullable, Timestamp } from '#api/console/schemas'
import { FirstStep } from '#api/console/session/schemas'

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

const InvitedLevel = Type.Enum(['admin', 'member'])

const InvitationOutput = Type.Object({
  id: Type.String(),
  email_address: Type.String(),
  access_level: InvitedLevel,
  invited_by_workspace_member_id: Type.String(),
  created_at: Timestamp,
  expires_at: Timestamp,
})
export type InvitationOutput = Static<typeof InvitationOutput>

/** `invite_url` is the link of the invitation; null when the service sent it by email. */
const NewInvitation = Type.Object({ ...InvitationOutput.properties, invite_url: nullable(Type.String()) })
export type NewInvitationOutput = Static<typeof NewInvitation>

/** An invitation as the page of its link shows it. */
const ReceivedInvitation = Type.Object({
  workspace: Type.Object({
    id: Type.String(),
    name: Type.String(),
    slug: Type.String(),
    logo_url: nullable(Type.String()),
  }),
  email_address: Type.String(),
  access_level: InvitedLevel,
  invited_by: Type.Object({ first_name: Type.String(), last_name: Type.String() }),
  has_account: Type.Boolean(),
  expires_at: Timestamp,
})
export type ReceivedInvitation = Static<typeof ReceivedInvitation>

export const InvitationsAnswer = listOf(InvitationOutput)
export const NewInvitationAnswer = answerOf(NewInvitation)
export const ReceivedInvitationAnswer = answerOf(ReceivedInvitation)

export const AcceptedAnswer = answerOf(
  Type.Object({ ...FirstStep.properties, workspace_id: Type.String(), workspace_member_id: Type.String() }),
)
