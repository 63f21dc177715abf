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

/** Without a trailing slash, so that paths can be appended. */
export const parseWebAddress: SettingParser<string> = (raw) => {
  const url = URL.parse(raw)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
  if (isPlain) return trimEnd(url.href, '/')
  throw new Error(`must be an address beginning with http:// or https://, not "${raw}".`)
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
