import { type DataModel, SYSTEM_ACTOR } from '#engine/data-model/model'
import { getMember } from '#run/cli/find-member'

/** The number of the actor of a member, by email address. */
export const findActor = (model: DataModel, email: string | undefined): number =>
  email === undefined ? SYSTEM_ACTOR : getMember(model, email).actor
