import { defaultField, ORDERED, type ValueType } from '../define'
import { numberText, roundedText } from '../formats'
import NumberInput from '../inputs/NumberValue.svelte'
import { readAnyNumber } from '../readers/numbers'

export const number: ValueType = {
  text: ({ value }) => numberText(Number(value)),
  input: ({ value }) => value,
  optimistic: (input) => ({ value: input }),
  refusal: 'Enter a number, such as 1200 or 9.5.',
  Input: NumberInput,
  plainText: ({ value }) => String(value),
  read: readAnyNumber,
  amountText: roundedText,
  fields: [defaultField('number', ORDERED)],
  width: 8,
  isNumeric: true,
  defaultEditor: 'number',
}
