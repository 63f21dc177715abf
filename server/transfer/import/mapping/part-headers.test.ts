import { describe, expect, test } from 'bun:test'
import { readPartHeader } from './propose-mapping'

describe('readPartHeader', () => {
  test.each([
    ['City (HQ)', 'locality', 'headquarters'],
    ['State / Region (HQ)', 'region', 'headquarters'],
    ['Country (HQ)', 'country_code', 'headquarters'],
    ['Headquarters City', 'locality', 'headquarters'],
    ['Street', 'line_1', ''],
    ['Zip', 'postcode', ''],
    ['ZIP/Postal code', 'postcode', ''],
    ['Billing Postal Code', 'postcode', 'billing'],
    ['mailing_address_line_2', 'line_2', 'mailing'],
    ['Shipping State/Province', 'region', 'shipping'],
  ])('%s is %s of "%s"', (header, part, qualifier) => {
    expect(readPartHeader(header)).toEqual({ part, qualifier })
  })

  test.each(['', 'Name', 'Email address domain', 'City hall', 'Deal (City)', '(HQ)', `${'very '.repeat(40)}city`])(
    '%p names no part',
    (header) => {
      expect(readPartHeader(header)).toBeUndefined()
    },
  )
})
