import { type DataModel, SYSTEM_ACTOR } from '../../data-model/model'
import { getMember } from '../find-member'

/** The number of the actor of a member, by email address. */
export const findActor = (model: DataModel, email: string | undefined): number =>
  email === undefined ? SYSTEM_ACTOR : getMember(model, email).actor
