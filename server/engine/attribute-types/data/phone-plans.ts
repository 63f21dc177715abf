/**
 * Parses telephone numbers in plain international form, `+1 (212) 555-1234`, with the numbering plans of
 * `libphonenumber-js`. The library compiles dozens of patterns for each number, which takes longer than parsing all other
 * values of a person. This file compiles every pattern once. It leaves other forms to the library, and a test compares both.
 */

import metadata from 'libphonenumber-js/max/metadata'

export interface InternationalNumber {
  /** The number as E.164. */
  readonly number: string
  /** The country code of the library, two letters. */
  readonly country: string
}

/** Plain international form. Other texts may contain extensions or letters, which only the library reads. */
const PLAIN = /^\+[\d ().-]{4,40}$/
const BETWEEN_DIGITS = /[ ().-]+/g
const LONGEST_CALLING_CODE = 3
/** The pattern of the digits after the calling code. */
const [SHORTEST, LONGEST] = [2, 17]

/** Returns a valid number of a country; undefined when only the library can decide. */
export function readInternational(text: string): InternationalNumber | undefined {
  if (!PLAIN.test(text)) return undefined
  const digits = text.slice(1).replace(BETWEEN_DIGITS, '')
  const region = findRegion(digits)
  if (!region) return undefined
  const national = digits.slice(region.callingCode.length)
  if (national.length < SHORTEST || national.length > LONGEST || region.mayHavePrefix(national)) return undefined
  const country = findCountry(region, national)
  return country === undefined ? undefined : { number: `+${digits}`, country }
}

/** The countries that share a calling code. */
interface Region {
  readonly callingCode: string
  readonly plans: readonly Plan[]
  /** Whether the digits begin with a national prefix, which is not part of the number. */
  mayHavePrefix(national: string): boolean
}

interface Plan {
  readonly country: string
  /** The leading digits of numbers of this country only. Most countries have none. */
  readonly leadingDigits: RegExp | undefined
  isNumber(national: string): boolean
}

const regions = new Map<string, Region | undefined>()

/** No calling code is the beginning of another. */
function findRegion(digits: string): Region | undefined {
  for (let length = 1; length <= LONGEST_CALLING_CODE; length++) {
    const callingCode = digits.slice(0, length)
    if (!regions.has(callingCode)) regions.set(callingCode, compileRegion(callingCode))
    const region = regions.get(callingCode)
    if (region) return region
  }
  return undefined
}

/** Returns the country whose plan has the digits. Leading digits distinguish some of the countries that share a calling code. */
function findCountry({ plans: [first, ...others] }: Region, national: string): string | undefined {
  const isAlone = others.length === 0
  for (const plan of first ? [first, ...others] : []) {
    const isMeant = isAlone || plan.leadingDigits?.test(national)
    if (isMeant === true) return plan.isNumber(national) ? plan.country : undefined
    if (isMeant === undefined && plan.isNumber(national)) return plan.country
  }
  return undefined
}

/** The positions of the parts of a country's plan, by the METADATA.md of the library. Parts that a plan lacks are 0 or missing. */
const PART = { pattern: 2, lengths: 3, prefix: 5, prefixPattern: 7, leadingDigits: 10, kinds: 11 } as const
type Parts = readonly unknown[]

function compileRegion(callingCode: string): Region | undefined {
  // The library's type has only existing codes.
  const countries: readonly string[] | undefined = metadata.country_calling_codes[callingCode as '1']
  const plans: Readonly<Record<string, Parts>> = metadata.countries
  const [main] = countries ?? []
  if (!countries || main === undefined) return undefined
  const prefix = textOf(plans[main]?.[PART.prefixPattern]) ?? textOf(plans[main]?.[PART.prefix])
  // oxlint-disable-next-line relata/no-super-linear-regexp -- applied to at most LONGEST digits
  const pattern = prefix === undefined ? undefined : new RegExp(`^(?:${prefix})`)
  return {
    callingCode,
    plans: countries.map((country) => compilePlan(country, plans[country] ?? [])),
    // Some patterns also match the empty text, which has no effect.
    mayHavePrefix: (national) => pattern?.exec(national)?.some((part) => part !== undefined && part !== '') ?? false,
  }
}

function compilePlan(country: string, parts: Parts): Plan {
  const leading = textOf(parts[PART.leadingDigits])
  const pattern = entirely([textOf(parts[PART.pattern]) ?? ''])
  const byLength = Array.from({ length: LONGEST + 1 }, (_, length) => {
    const patterns = kindsOf(parts).flatMap((kind) => (kind.lengths.includes(length) ? [kind.pattern] : []))
    return patterns.length > 0 ? entirely(patterns) : undefined
  })
  return {
    country,
    // oxlint-disable-next-line relata/no-super-linear-regexp -- as above
    leadingDigits: leading === undefined ? undefined : new RegExp(`^(?:${leading})`),
    isNumber: (national) => pattern.test(national) && byLength[national.length]?.test(national) === true,
  }
}

/** The patterns of all kinds of numbers, such as mobile numbers. A number is valid when it matches one of them. */
function kindsOf(parts: Parts): { pattern: string; lengths: readonly unknown[] }[] {
  return listOf(parts[PART.kinds]).flatMap((kind) => {
    const [pattern, lengths] = listOf(kind)
    const text = textOf(pattern)
    return text === undefined ? [] : [{ pattern: text, lengths: listOf(lengths || parts[PART.lengths]) }]
  })
}

const entirely = (patterns: readonly string[]): RegExp =>
  // oxlint-disable-next-line relata/no-super-linear-regexp -- as above
  new RegExp(`^(?:${patterns.map((each) => `(?:${each})`).join('|')})$`)

const textOf = (part: unknown): string | undefined => (typeof part === 'string' && part !== '' ? part : undefined)
const listOf = (part: unknown): readonly unknown[] => (Array.isArray(part) ? part : [])
