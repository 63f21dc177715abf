import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import parsePhoneNumber from 'libphonenumber-js/max'
import metadata from 'libphonenumber-js/max/metadata'
import { type InternationalNumber, readInternational } from './phone-plans'

const plans: [string, unknown[]][] = Object.entries(metadata.countries)

/** Returns the result of the library for a number of a country. */
function asTheLibrary(text: string, home?: 'GB'): InternationalNumber | undefined {
  const number = parsePhoneNumber(text, { defaultCountry: home, extract: false })
  return number?.isValid() && number.country !== undefined
    ? { number: number.number, country: number.country }
    : undefined
}

/** Expects undefined, so that the library decides, or the result of the library. */
function expectSame(text: string): InternationalNumber | undefined {
  const read = readInternational(text)
  if (!read) return undefined
  expect<unknown>([text, read]).toEqual([text, asTheLibrary(text)])
  expect<unknown>([text, read]).toEqual([text, asTheLibrary(text, 'GB')])
  return read
}

/** Returns some numbers of each kind of a country. */
function numbersOf([callingCode, , pattern, , , , , , , , , kinds]: unknown[]): string[] {
  const patterns = [[pattern], ...(Array.isArray(kinds) ? kinds : [])].flatMap((kind: unknown) =>
    Array.isArray(kind) && typeof kind[0] === 'string' && kind[0] !== '' ? [kind[0]] : [],
  )
  return patterns.flatMap((each, index) =>
    fc
      .sample(fc.stringMatching(new RegExp(`^(?:${each})$`)), { numRuns: 15, seed: 7 + index })
      .map((national) => `+${callingCode}${national}`),
  )
}

describe('readInternational agrees with the library', () => {
  test.each(plans)('of %s', (_country, parts) => {
    const numbers = numbersOf(parts)
    const read = numbers.map(expectSame)
    for (const number of numbers) {
      expectSame(`${number.slice(0, 3)} (${number.slice(3, 6)}) ${number.slice(6, 9)}-${number.slice(9)}`)
      expectSame(`${number}0`)
      expectSame(number.slice(0, -1))
    }
    const valid = numbers.filter((number) => asTheLibrary(number) !== undefined).length
    expect(valid).toBeGreaterThan(0)
    // Most valid numbers need no library. The others begin like a national prefix, as a third of the kinds in Russia do.
    expect(read.filter((number) => number !== undefined).length / valid).toBeGreaterThan(0.3)
  })

  test('for random numbers', () => {
    const digits = fc.stringMatching(/^\+[1-9]\d{2,17}$/)
    const anything = fc.stringMatching(/^\+?[\d ()./x#;,+-]{0,24}$/)
    fc.assert(
      fc.property(fc.oneof(digits, anything), (text) => void expectSame(text.trim())),
      { numRuns: 20_000, seed: 1 },
    )
  })
})

test.each(['', '+', '+1', '12125551234', '+1 212 555 1234 ext. 89', '+1212FLOWERS', '+80012345678', '+0123456789'])(
  '"%s" is left to the library',
  (text) => expect(readInternational(text)).toBeUndefined(),
)
