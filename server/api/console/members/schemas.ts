/** The body of a request that updates a member. */

import { type Static, Type } from 'typebox'
import { Name, SecondName } from '#api/console/schemas'

export const MemberChangeBody = Type.Partial(
  Type.Object({
    access_level: Type.Union([Type.Literal('admin'), Type.Literal('member'), Type.Literal('suspended')]),
    first_name: Name,
    last_name: SecondName,
  }),
)
export type MemberChangeBody = Static<typeof MemberChangeBody>
