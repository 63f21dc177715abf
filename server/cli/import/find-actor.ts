import type { DataModel } from '../../data-model/model'
import { CommandProblem } from '../command'

/** The system, whose records nobody in particular made. */
const SYSTEM = 0

/** The number of the actor a member acts as, by email address. */
export function findActor(model: DataModel, email: string | undefined): number {
  if (email === undefined) return SYSTEM
  const member = model.membersByEmail.get(email.toLowerCase())
  if (!member) throw new CommandProblem(`There is no member with the email address "${email}".`)
  return member.actor
}
