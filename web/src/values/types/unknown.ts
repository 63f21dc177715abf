import type { Value } from '../../api/records/entities'
import type { ValueType } from '../define'
import Unknown from '../shown/Unknown.svelte'

/** What every value has, whatever its type. */
const SHARED = new Set(['active_from', 'active_until', 'created_by_actor', 'attribute_type'])

const ownMembers = (value: Value): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).filter(([member]) => !SHARED.has(member)))

/** Of a type that is newer than this console: shown as it is, and not written. */
export const unknownType: ValueType = {
  text: (value) => JSON.stringify(ownMembers(value)),
  input: ownMembers,
  guess: () => ({}),
  refusal: "This value can't be edited.",
  Shown: Unknown,
  fields: [],
  width: 14,
}
