import type { Value } from '../../api/records/entities'
import type { ValueType } from '../define'
import Unknown from '../shown/Unknown.svelte'

/** Members of the values of every type. */
const SHARED = new Set(['active_from', 'active_until', 'created_by_actor', 'attribute_type'])

const ownMembers = (value: Value): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([member]) => !SHARED.has(member)))

/** A type that is newer than this console. Its values are shown as JSON and are read-only. */
export const unknownType: ValueType = {
  text: (value) => JSON.stringify(ownMembers(value)),
  input: ownMembers,
  optimistic: () => ({}),
  refusal: "This value can't be edited.",
  Shown: Unknown,
  fields: [],
  width: 14,
}
