import type { DataModel } from '../../data-model/model'
import { getMember } from '../find-member'

/** The actor of values that no member wrote. */
const SYSTEM = 0

/** The number of the actor of a member, by email address. */
export const findActor = (model: DataModel, email: string | undefined): number =>
  email === undefined ? SYSTEM : getMember(model, email).actor
