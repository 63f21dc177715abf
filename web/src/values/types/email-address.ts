import { asText, textField, TEXTUAL, type ValueType } from '../define'
import LinesInput from '../inputs/LinesValue.svelte'
import EmailAddress from '../shown/EmailAddress.svelte'

export const emailAddress: ValueType = {
  text: ({ email_address }) => asText(email_address),
  input: ({ original_email_address, email_address }) => original_email_address ?? email_address,
  optimistic: (input) => ({ email_address: input, original_email_address: input }),
  refusal: 'Enter a valid email address, such as ada@example.com.',
  Shown: EmailAddress,
  Input: LinesInput,
  fields: [
    { name: null, label: 'Address', operators: TEXTUAL, operand: 'text' },
    textField('email_domain', 'Domain'),
    textField('email_local_specifier', 'Part before the @'),
  ],
  width: 14,
  defaultEditor: 'text',
}
