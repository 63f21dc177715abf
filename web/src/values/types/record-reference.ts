import { loadNames, recordName } from '../../state/record-names.svelte'
import { asText, defaultField, EXACT, type ValueType } from '../define'
import RecordInput from '../inputs/RecordValue.svelte'
import RecordLink from '../shown/RecordLink.svelte'
import { findRecord } from '../find-named'

export const recordReference: ValueType = {
  text({ target_object, target_record_id }) {
    const name = recordName(asText(target_object), asText(target_record_id))
    return name === undefined ? '…' : (name ?? 'Deleted record')
  },
  input: ({ target_object, target_record_id }) => ({ target_object, target_record_id }),
  optimistic: (input) => input as Record<string, unknown>, // a reference is read as it is written
  refusal: 'This record no longer exists. Choose another one.',
  Shown: RecordLink,
  Input: RecordInput,
  typing: 'search',
  isGroupable: true,
  read: findRecord,
  unreadable: 'No record has this name.',
  groups: 'values',
  fields: [defaultField('record', EXACT)],
  frame: 26,
  width: 10,
  isReference: true,
  async loadText(values) {
    const byObject = Map.groupBy(values, ({ target_object }) => asText(target_object))
    for (const [object, targets] of byObject) {
      await loadNames(
        object,
        targets.map(({ target_record_id }) => asText(target_record_id)),
      )
    }
  },
}
