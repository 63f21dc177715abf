import { defaultField, ORDERED, type ValueType } from '../define'
import { roundedText } from '../formats'
import RatingInput from '../inputs/RatingValue.svelte'
import Stars from '../shown/Stars.svelte'

export const rating: ValueType = {
  text: ({ value }) => `${value} of 5`,
  input: ({ value }) => value,
  optimistic: (input) => ({ value: input }),
  refusal: 'Choose 1 to 5 stars.',
  Shown: Stars,
  Input: RatingInput,
  typing: 'none',
  keyInput: (key) => (key === '0' ? [] : /^[1-5]$/.test(key) ? [Number(key)] : undefined),
  plainText: ({ value }) => String(value),
  read: (text) => (/^[1-5]$/.test(text.trim()) ? Number(text) : undefined),
  amountText: roundedText,
  groups: 'values',
  fields: [defaultField('rating', ORDERED)],
  width: 8,
  defaultEditor: 'number',
}
