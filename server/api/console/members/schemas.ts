/** The body of a request that updates a member. */

import { type Static, Type } from 'typebox'
import { Name, SecondName, answerOf, listOf, nullable, Timestamp } from '#api/console/schemas'

export const MemberChangeBody = Type.Partial(
  Type.Object({
    access_level: Type.Union([Type.Literal('admin'), Type.Literal('member'), Type.Literal('suspended')]),
    first_name: Name,
    last_name: SecondName,
  }),
)
export type MemberChangeBody = Static<typeof MemberChangeBody>

const MemberOutput = Type.Object({
  id: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  email_address: Type.String(),
  avatar_url: nullable(Type.String()),
  access_level: Type.Enum(['admin', 'member', 'suspended']),
  created_at: Timestamp,
  /** A member without an account was only named in values and cannot sign in. */
  has_account: Type.Boolean(),
})
export type MemberOutput = Static<typeof MemberOutput>

export const MembersAnswer = listOf(MemberOutput)
export const MemberAnswer = answerOf(MemberOutput)
