import { asText, defaultField, ORDERED, type ValueType } from '../define'
import { instantText } from '../formats'
import { readInstant } from '../local-time'
import InstantInput from '../inputs/InstantValue.svelte'
import Instant from '../shown/Instant.svelte'

export const timestamp: ValueType = {
  text: ({ value }) => instantText(asText(value)),
  input: ({ value }) => value,
  optimistic: (input) => ({ value: input }),
  refusal: 'Enter a date and a time.',
  Shown: Instant,
  Input: InstantInput,
  plainText: ({ value }) => asText(value),
  read: readInstant,
  groups: 'periods',
  fields: [defaultField('instant', ORDERED)],
  width: 9,
  defaultEditor: 'time',
}
