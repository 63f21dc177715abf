import { expect, test } from 'bun:test'
import { phoneInput, phoneText } from './phone'

test.each([
  ['+1 212 555 1234', 'GB', '+1 212 555 1234'],
  ['020 7946 0958', 'GB', { original_phone_number: '020 7946 0958', country_code: 'GB' }],
  ['020 7946 0958', null, '020 7946 0958'],
])('%s with the default country %p is sent as %j', (text, country, input) => {
  expect(phoneInput(text, country)).toEqual(input)
  expect(phoneText(phoneInput(text, country))).toBe(text)
})
