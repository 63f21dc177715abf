import { describe, expect, test } from 'bun:test'
import { attributeType } from './registry'
import { attribute } from './testing/sample-model'
import { operand, refusal, write } from './testing/try-value'

const phone = attribute('phone-number')

describe('phone-number', () => {
  test.each([
    ['+12125551234', '+12125551234', 'US'],
    ['+1 (212) 555-1234', '+12125551234', 'US'],
    [' +44 20 7031 3000', '+442070313000', 'GB'],
    ['+1 212 555 1234 ext. 89', '+12125551234', 'US'],
    ['+84 90 123 45 67', '+84901234567', 'VN'],
    ['+290 8123', '+2908123', 'SH'],
  ])('%s is %s of %s', async (raw, phone_number, country_code) => {
    expect(await write(raw, phone)).toEqual({ original_phone_number: raw, phone_number, country_code })
  })

  test.each([
    [{ original_phone_number: '(212) 555-1234', country_code: 'US' }, '+12125551234', 'US'],
    [{ original_phone_number: '+12125551234', country_code: null }, '+12125551234', 'US'],
    [{ original_phone_number: '+12125551234', country_code: 'GB' }, '+12125551234', 'US'],
    [{ original_phone_number: '+12125551234', country_code: 'AN', phone_number: 'ignored' }, '+12125551234', 'US'],
    [{ original_phone_number: '+800 1234 5678', country_code: 'DE' }, '+80012345678', 'DE'],
  ])('%j is %s of %s', async (raw, phone_number, country_code) => {
    const { original_phone_number } = raw
    expect(await write(raw, phone)).toEqual({ original_phone_number, phone_number, country_code })
  })

  test.each([
    '+11234567890',
    '+',
    '',
    'call me',
    '+800 1234 5678',
    '+999123456789',
    'tel: +12125551234 or so',
    { original_phone_number: '2125551234', country_code: 'AN' },
    { original_phone_number: '123', country_code: 'US' },
  ])('%j is refused', async (raw) => {
    expect(await refusal(raw, phone)).toEqual([
      { code: 'invalid', path: ['original_phone_number'], message: 'Invalid phone number' },
    ])
  })

  test.each(['2125551234', '(212) 555-1234', { original_phone_number: '2125551234' }, '020 7946 0958'])(
    '%j is refused because it has no country code',
    async (raw) => {
      const [issue, ...others] = await refusal(raw, phone)
      expect([issue?.path, others]).toEqual([['original_phone_number'], []])
      expect(issue?.message).toContain('Begin it with + and the country calling code')
    },
  )

  test('reports all issues', async () => {
    expect(await refusal({ country_code: 'ZZ' }, phone)).toMatchObject([
      { code: 'invalid_type', path: ['original_phone_number'], message: 'Required' },
      { code: 'invalid_option', path: ['country_code'] },
    ])
  })

  test.each([
    ['84901234567', '$eq', '+84901234567'],
    ['+84 90 123-45-67', '$eq', '+84901234567'],
    ['0901234567', '$eq', '+0901234567'],
    ['90 123', '$contains', '90123'],
    ['+84', '$starts_with', '+84'],
  ] as const)('an operand %s of %s is %s', (raw, operator, expected) => {
    expect(operand(raw, phone, 'phone_number', operator)).toBe(expected)
  })

  test('the original cannot be searched', () => {
    expect(Object.keys(attributeType('phone-number').properties)).toEqual(['phone_number', 'country_code'])
  })
})
