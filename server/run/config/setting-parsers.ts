/** Parses the text of settings. The message of an error continues a sentence that begins with the name of the setting. */

import { trimEnd } from '#base/text/csv-line'

export type SettingParser<T> = (raw: string) => T

export const parseText: SettingParser<string> = (raw) => raw

export const parseWord: SettingParser<string> = (raw) => matching(/^\S+$/, raw, 'must be one word')

export const parseOneOf =
  <const T extends string>(...words: readonly T[]): SettingParser<T> =>
  (raw) => {
    const found = words.find((allowed) => allowed === raw)
    if (found !== undefined) return found
    throw new Error(`must be ${words.join(' or ')}, not "${raw}".`)
  }

export const parseOnOff: SettingParser<boolean> = (raw) => parseOneOf('0', '1')(raw) === '1'

export const parseSlug: SettingParser<string> = (raw) =>
  matching(/^[a-z][a-z0-9-]{0,30}$/, raw, 'must be lower-case letters, digits and hyphens, beginning with a letter')

export const parseEmailAddress: SettingParser<string> = (raw) =>
  matching(/^[^\s@]+@[^\s@]+$/, raw, 'must be an email address')

export const parseWholeNumber =
  (least: number, most: number): SettingParser<number> =>
  (raw) => {
    const number = /^\d+$/.test(raw) ? Number(raw) : Number.NaN
    if (number >= least && number <= most) return number
    throw new Error(`must be a whole number from ${least} to ${most}, not "${raw}".`)
  }

const UNITS = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }

/** At least one kilobyte, so that a missing unit is an error. */
export const parseSize: SettingParser<number> = (raw) => {
  const [, digits, unit = 'b'] = /^(\d+)\s*(b|kb|mb|gb)?$/i.exec(raw) ?? []
  const size = Number(digits) * UNITS[unit.toLowerCase() as keyof typeof UNITS] // the pattern allows only these units
  if (size >= 1000) return size
  throw new Error(`must be a size of at least 1 kB, such as "25 MB", not "${raw}".`)
}

const DURATIONS = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const MOST_DAYS = 3650

/** Milliseconds, from a minute to ten years. */
export const parseDuration: SettingParser<number> = (raw) => {
  const [, digits, unit = ''] = /^(\d{1,7})\s*([mhd])$/i.exec(raw) ?? []
  const duration = Number(digits) * DURATIONS[unit.toLowerCase() as keyof typeof DURATIONS] // the pattern allows only these units
  if (duration > 0 && duration <= MOST_DAYS * DURATIONS.d) return duration
  throw new Error(`must be a duration such as "30m", "6h" or "1d", not "${raw}".`)
}

/** A number, a duration, or both. */
export const parseRetention: SettingParser<{ readonly count?: number; readonly ageMs?: number }> = (raw) => {
  const parts = raw.split(',').map((part) => part.trim())
  const counts = parts.filter((part) => /^[1-9]\d{0,5}$/.test(part))
  const ages = parts.filter((part) => /^\d+\s*[mhd]$/i.test(part))
  if (counts.length > 1 || ages.length > 1 || counts.length + ages.length < parts.length)
    throw new Error(`must be a number, a duration or both, such as "14", "30d" or "7,30d", not "${raw}".`)
  return {
    ...(counts[0] !== undefined && { count: Number(counts[0]) }),
    ...(ages[0] !== undefined && { ageMs: parseDuration(ages[0]) }),
  }
}

/** Without a trailing slash, so that paths can be appended. */
export const parseWebAddress: SettingParser<string> = (raw) => {
  const url = URL.parse(raw)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
  if (isPlain) return trimEnd(url.href, '/')
  throw new Error(`must be an address beginning with http:// or https://, not "${raw}".`)
}

const PAIR_NAME = /^[!#$%&'*+.^_`|~\w-]+$/
/** Control characters can be in no header. */
const PAIR_VALUE = /^[^\p{Cc}]*$/u

/** `name=value,name=value`, with values that may be percent-encoded. They may be secret, so messages do not show them. */
export const parsePairs: SettingParser<Readonly<Record<string, string>>> = (raw) => {
  const pairs = raw
    .split(',')
    .filter((part) => part.trim() !== '')
    .map((part) => [part.split('=', 1).join('').trim(), decoded(part.slice(part.indexOf('=') + 1).trim())] as const)
  const isValid = pairs.every(([name, value]) => PAIR_NAME.test(name) && value !== undefined && PAIR_VALUE.test(value))
  if (isValid && raw.split(',').every((part) => part.trim() === '' || part.includes('=')))
    return Object.fromEntries(pairs.map(([name, value = '']) => [name, value]))
  throw new Error('must be pairs such as "name=value,name=value", with percent-encoded values.')
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export const parseRatio: SettingParser<number> = (raw) => {
  const ratio = /^[\d.]+$/.test(raw) ? Number(raw) : Number.NaN
  if (ratio >= 0 && ratio <= 1) return ratio
  throw new Error(`must be a number from 0 to 1, not "${raw}".`)
}

/** Compared with the issuer in the provider's metadata, so it stays as it is written. */
export const parseIssuer: SettingParser<string> = (raw) =>
  matching(/^https?:\/\/[^\s?#]+$/, raw, 'must be an address beginning with http:// or https://')

/** The value may contain a password, so messages do not show it. */
export const parseDatabaseUrl: SettingParser<string> = (raw) => {
  const url = URL.parse(raw)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error('must be an address like postgres://user:password@host:5432/database.')
  if (!/^\d{1,4}$/.test(url.searchParams.get('connect_timeout') ?? '0'))
    throw new Error('must say its connect_timeout in whole seconds, at most 9999.')
  return raw
}

/** The value may contain a password, so messages do not show it. */
export const parseMailServer: SettingParser<string> = (raw) => {
  const url = URL.parse(raw)
  if (url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '') return raw
  throw new Error('must be an address like smtp://user:password@host:587 or smtps://user:password@host:465.')
}

function matching(pattern: RegExp, raw: string, rule: string): string {
  if (pattern.test(raw)) return raw
  throw new Error(`${rule}, not "${raw}".`)
}
