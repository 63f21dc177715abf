import { defaultField, ORDERED, type ValueType } from '../define'
import { numberValueText, roundedText } from '../formats'
import NumberInput from '../inputs/NumberValue.svelte'
import { readNumber } from '../read-number'

export const number: ValueType = {
  text: ({ value }, { config }) => numberValueText(Number(value), config.number?.thousands_separators),
  input: ({ value }) => value,
  optimistic: (input) => ({ value: input }),
  refusal: 'Enter a number, such as 1200 or 9.5.',
  Input: NumberInput,
  plainText: ({ value }) => String(value),
  read: (text) => readNumber(text),
  amountText: roundedText,
  fields: [defaultField('number', ORDERED)],
  width: 8,
  isNumeric: true,
  hasThousandsSeparators: true,
  defaultEditor: 'number',
}
