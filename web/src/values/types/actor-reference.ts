import { actorName } from '../../state/actors.svelte'
import { defaultField, EXACT, type ValueType } from '../define'
import MemberInput from '../inputs/MemberValue.svelte'
import Person from '../shown/Person.svelte'
import { actorIn } from '../parts/actor'
import { findMember } from '../find-named'

export const actorReference: ValueType = {
  text: (value) => actorName(actorIn(value)),
  input: ({ referenced_actor_type, referenced_actor_id }) => ({
    referenced_actor_type,
    referenced_actor_id,
  }),
  optimistic: (input) => input as Record<string, unknown>, // a value is read as it is written
  refusal: 'Choose a member of this workspace.',
  Shown: Person,
  Input: MemberInput,
  typing: 'search',
  isGroupable: true,
  read: findMember,
  unreadable: 'No single member has this name.',
  groups: 'values',
  fields: [defaultField('member', EXACT)],
  frame: 26,
  width: 11,
  defaultEditor: 'member',
}
