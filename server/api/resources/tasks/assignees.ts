/** Finds the members that bodies and queries name as assignees. See docs/reference/tasks.md (Assignees). */

import { findMember } from '#engine/attribute-types/actor-reference'
import type { DataModel } from '#engine/data-model/model'
import { unknownMember } from '#base/errors/records'
import type { AssigneeInput } from './schemas'

/** Stands for "without assignees" in `task_assignees` and in a list of tasks. */
export const UNASSIGNED = 0

/** The numbers of the members' actors, each once. Throws 400 for an unknown member. Suspended members are members. */
export const resolveAssignees = (model: DataModel, inputs: readonly AssigneeInput[]): number[] => [
  ...new Set(inputs.map((input) => actorOf(model, idOrEmailOf(input)))),
]

/** The same for the parameter of a list; `UNASSIGNED` for an empty one and for `null`. */
export const resolveAssigneeFilter = (model: DataModel, text: string): number =>
  text === '' || text === 'null' ? UNASSIGNED : actorOf(model, text.trim())

function idOrEmailOf(input: AssigneeInput): string {
  if (typeof input === 'string') return input.trim()
  return 'referenced_actor_id' in input ? input.referenced_actor_id : input.workspace_member_email_address.trim()
}

function actorOf(model: DataModel, idOrEmail: string): number {
  const member = findMember(model, idOrEmail)
  if (member === undefined) throw unknownMember(idOrEmail)
  return member.actor
}
