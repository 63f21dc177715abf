import { describe, expect, test } from 'bun:test'
import { eachLocationPart } from '#vocabulary/data-model'
import { attribute } from './testing/sample-model'
import { operand, refusal, store, write } from './testing/try-value'

const location = attribute('location')

const NOWHERE = eachLocationPart(null)

describe('location', () => {
  test.each([
    [
      '1 Infinite Loop, Cupertino, CA, 95014, US',
      { line_1: '1 Infinite Loop', locality: 'Cupertino', region: 'CA', postcode: '95014', country_code: 'US' },
    ],
    ['London, UK', { locality: 'London', country_code: 'GB' }],
    ['Germany', { country_code: 'DE' }],
    ['Abidjan, côte d’ivoire', { locality: 'Abidjan', country_code: 'CI' }],
    ['Berlin, DE', { locality: 'Berlin', country_code: 'DE' }],
    ['San Francisco, CA', { locality: 'San Francisco', region: 'CA' }],
    ['Toronto, ON, CA', { locality: 'Toronto', region: 'ON', country_code: 'CA' }],
    ['Toronto, ON, M5V 2T6, Canada', { locality: 'Toronto', region: 'ON', postcode: 'M5V 2T6', country_code: 'CA' }],
    ['Cupertino, CA 95014', { locality: 'Cupertino', region: 'CA', postcode: '95014' }],
    ['Tokyo, 100-0001, Japan', { locality: 'Tokyo', postcode: '100-0001', country_code: 'JP' }],
    [
      '10 Downing Street, London SW1A 2AA, United Kingdom',
      { line_1: '10 Downing Street', locality: 'London', postcode: 'SW1A 2AA', country_code: 'GB' },
    ],
    [
      '12 Rue de Rivoli, 75001 Paris, France',
      { line_1: '12 Rue de Rivoli', locality: 'Paris', postcode: '75001', country_code: 'FR' },
    ],
    [
      '1 Main St, Floor 3, Apt 5, Boston, MA, USA',
      { line_1: '1 Main St', line_2: 'Floor 3', line_3: 'Apt 5', locality: 'Boston', region: 'MA', country_code: 'US' },
    ],
    [
      '1 A, 2 B, 3 C, 4 D, 5 E, Town, Region, US',
      {
        line_1: '1 A',
        line_2: '2 B',
        line_3: '3 C',
        line_4: '4 D, 5 E',
        locality: 'Town',
        region: 'Region',
        country_code: 'US',
      },
    ],
    [
      'Cupertino, Santa Clara County, CA, US',
      { locality: 'Cupertino', region: 'Santa Clara County, CA', country_code: 'US' },
    ],
    ['12 Main', { line_1: '12 Main' }],
    ['LA', { locality: 'LA' }],
    ['somewhere, over the rainbow', { locality: 'somewhere, over the rainbow' }],
  ])('%s', async (text, parts) => {
    expect(await write(text, location)).toEqual({ ...NOWHERE, ...parts })
  })

  test('each part has at most 2,000 characters', async () => {
    const [longest, tooLong] = ['x'.repeat(2000), 'x'.repeat(2001)]
    expect(await write(longest, location)).toEqual({ ...NOWHERE, locality: longest })
    expect(await refusal(tooLong, location)).toMatchObject([{ code: 'too_big', path: ['locality'], maximum: 2000 }])
    const place = { ...NOWHERE, line_4: tooLong, postcode: tooLong, latitude: `1.${'0'.repeat(99)}` }
    expect(await refusal(place, location)).toMatchObject([
      { code: 'too_big', path: ['line_4'] },
      { code: 'too_big', path: ['postcode'] },
      { code: 'too_big', path: ['latitude'] },
    ])
  })

  test.each([NOWHERE, '', ' , '])('%j clears', async (raw) => {
    expect(await store(raw, location)).toBeUndefined()
  })

  test('every part alone is a location', async () => {
    for (const member of Object.keys(NOWHERE)) {
      const text = member === 'country_code' ? 'XK' : '12.5'
      expect(await write({ ...NOWHERE, [member]: text }, location)).toEqual({ ...NOWHERE, [member]: text })
    }
  })

  test('reports each missing member', async () => {
    const issues = await refusal({ locality: 'London', line_1: 5, country_code: 'ZZ' }, location)
    expect(issues.map(({ code, path }) => [code, ...path])).toEqual([
      ['invalid_type', 'line_1'],
      ['invalid_type', 'line_2'],
      ['invalid_type', 'line_3'],
      ['invalid_type', 'line_4'],
      ['invalid_type', 'region'],
      ['invalid_type', 'postcode'],
      ['invalid_option', 'country_code'],
      ['invalid_type', 'latitude'],
      ['invalid_type', 'longitude'],
    ])
    expect(issues[1]).toMatchObject({ message: 'Required', received: 'undefined' })
  })

  test.each([
    ['90', '180'],
    ['-89.9', '-179.9'],
    ['+37.123456789', '+122.5'],
    ['90.000', '180.0'],
  ])('%s, %s are coordinates', async (latitude, longitude) => {
    expect(await write({ ...NOWHERE, latitude, longitude }, location)).toMatchObject({ latitude, longitude })
  })

  test.each([
    ['90.1', '180.1'],
    ['-91', '181'],
    ['1.', 'x'],
    ['', '1,5'],
  ])('%s, %s are refused', async (latitude, longitude) => {
    expect(await refusal({ ...NOWHERE, latitude, longitude }, location)).toMatchObject([
      { code: 'invalid_string', path: ['latitude'], string_validation: 'regex' },
      { code: 'invalid_string', path: ['longitude'], string_validation: 'regex' },
    ])
  })

  test('decimals after the ninth are cut off', async () => {
    const degrees = { latitude: '37.1234567899', longitude: '-122.99999999999' }
    expect(await write({ ...NOWHERE, ...degrees }, location)).toMatchObject({
      latitude: '37.123456789',
      longitude: '-122.999999999',
    })
  })

  test('countries are searched by code, in any case', () => {
    expect(operand('gb', location, 'country_code')).toBe('GB')
  })
})
