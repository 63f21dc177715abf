import { asText, textField, TEXTUAL, type ValueType } from '../define'
import LinesInput from '../inputs/LinesValue.svelte'
import DomainLink from '../shown/DomainLink.svelte'

export const domain: ValueType = {
  text: (value) => asText(value.domain),
  input: (value) => value.domain,
  optimistic: (input) => ({ domain: input }),
  refusal: 'Enter a valid domain, such as example.com.',
  Shown: DomainLink,
  Input: LinesInput,
  groups: 'values',
  fields: [
    { name: null, label: 'Domain', operators: TEXTUAL, operand: 'text' },
    textField('root_domain', 'Root domain'),
  ],
  width: 10,
  defaultEditor: 'text',
}
