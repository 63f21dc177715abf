import { defaultField, ORDERED, type ValueType } from '../define'
import { moneyText } from '../formats'
import NumberInput from '../inputs/NumberValue.svelte'
import { readAmount } from '../read-number'

export const currency: ValueType = {
  text: ({ currency_value, currency_code }, { config }) =>
    moneyText(
      Number(currency_value),
      typeof currency_code === 'string' ? currency_code : null,
      config.currency.display_type,
    ),
  input: ({ currency_value }) => currency_value,
  optimistic: (input, { config }) => ({ currency_value: input, currency_code: config.currency.default_currency_code }),
  refusal: "Enter an amount in this attribute's currency with up to 4 decimals, such as 1200.50.",
  Input: NumberInput,
  plainText: ({ currency_value }) => String(currency_value),
  read: (text, { config }) => readAmount(text, config.currency.default_currency_code),
  amountText: (amount, { config }) =>
    moneyText(amount, config.currency.default_currency_code, config.currency.display_type),
  fields: [defaultField('number', ORDERED)],
  width: 9,
  isNumeric: true,
  hasCurrency: true,
  defaultEditor: 'number',
}
