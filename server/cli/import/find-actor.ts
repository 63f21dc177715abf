import type { DataModel } from '../../data-model/model'
import { CommandError } from '../command'

/** The actor of values that no member wrote. */
const SYSTEM = 0

/** The number of the actor of a member, by email address. */
export function findActor(model: DataModel, email: string | undefined): number {
  if (email === undefined) return SYSTEM
  const member = model.membersByEmail.get(email.toLowerCase())
  if (!member) throw new CommandError(`There is no member with the email address "${email}".`)
  return member.actor
}
