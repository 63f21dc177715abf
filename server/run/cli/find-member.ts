import type { DataModel, Member } from '#engine/data-model/model'
import { CommandError } from './command'

/** The member with an email address, in any case. */
export function getMember(model: DataModel, email: string): Member {
  const member = model.membersByEmail.get(email.toLowerCase())
  if (!member) throw new CommandError(`There is no member with the email address "${email}".`)
  return member
}
