import { readCheckbox } from '#vocabulary/written-values'
import { defaultField, type ValueType } from '../define'
import CheckboxInput from '../inputs/CheckboxValue.svelte'
import Tick from '../shown/Tick.svelte'

export const checkbox: ValueType = {
  text: ({ value }) => (value === true ? 'Yes' : 'No'),
  input: ({ value }) => value,
  optimistic: (input) => ({ value: input }),
  refusal: 'Choose yes or no.',
  Shown: Tick,
  Input: CheckboxInput,
  typing: 'none',
  emptyValue: {
    value: false,
    active_from: '',
    active_until: null,
    created_by_actor: { type: null, id: null },
    attribute_type: 'checkbox',
  },
  keyInput: (key, [checked]) => (key === ' ' ? [checked !== true] : undefined),
  plainText: ({ value }) => (value === true ? 'TRUE' : 'FALSE'),
  read: readCheckbox,
  groups: 'values',
  fields: [defaultField('yes-no', ['$eq'])],
  width: 7,
  defaultEditor: 'checkbox',
}
