import { readDate } from '#vocabulary/written-values'
import { asText, defaultField, ORDERED, type ValueType } from '../define'
import { dayText } from '../formats'
import DateInput from '../inputs/DateValue.svelte'

export const date: ValueType = {
  text: ({ value }) => dayText(asText(value)),
  input: ({ value }) => value,
  optimistic: (input) => ({ value: input }),
  refusal: 'Enter a full date: day, month and year.',
  Input: DateInput,
  plainText: ({ value }) => asText(value),
  read: readDate,
  groups: 'periods',
  fields: [defaultField('date', ORDERED)],
  width: 9,
  defaultEditor: 'time',
}
