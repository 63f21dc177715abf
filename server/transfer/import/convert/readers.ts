/** Reads the texts of cells: blank words, lists, titles of options, contacts, amounts and websites. */

import type { Attribute } from '#engine/data-model/model'
import { trimEnd } from '#base/text/csv-line'
import { readDecimalText } from '#vocabulary/written-values'
import { parseHostName } from '#engine/attribute-types/formats/host-names'

/** The ways in which people write that a cell has no value. */
const BLANK = /^(?:|[-–—]+|n\/?a|#n\/a|null|nil|none|unknown|undefined|tbd|\?+)$/i

/** Whether a cell holds no value. Not for texts and options, where such a word may be the value. */
export function isBlank(text: string): boolean {
  const trimmed = text.trim()
  const first = trimmed[0]
  return first === undefined || (FIRST.has(first) && BLANK.test(trimmed))
}

/** The first characters of all forms; most cells begin with another one. */
const FIRST = new Set('-–—?#nNuUtT')

// Splits a cell with several values. Semicolons, bars and line breaks separate values; commas do where a cell has none of these. Titles
// of existing options keep their separators: `Research, Development and Testing` is one option if it exists.

/** Whether a text is the title of an existing option. */
type IsOption = (title: string) => boolean

/** A longer list is split at every separator, since the search for titles takes time in the square of the number of pieces. */
const MAX_PIECES = 200

/** The parts, trimmed, without those that repeat an earlier one in another case. */
export function splitList(text: string, isOption?: IsOption): string[] {
  const whole = text.trim()
  if (whole === '') return []
  const parts = isOption?.(whole) === true ? [whole] : separate(whole, isOption)
  const keys = new Set<string>()
  return parts.filter((part) => {
    const key = part.toLowerCase()
    return !keys.has(key) && keys.add(key)
  })
}

function separate(text: string, isOption: IsOption | undefined): string[] {
  // Odd elements are the separators.
  const pieces = text.split(/[;|\n]/.test(text) ? /([;|\n])/ : /(,)/)
  if (isOption === undefined || pieces.length > 2 * MAX_PIECES) return trimmed(pieces.filter((_, at) => at % 2 === 0))
  return trimmed(joinTitles(pieces, isOption))
}

/** Joins the longest run of pieces that is the title of an option; any other piece stays alone. */
function joinTitles(pieces: readonly string[], isOption: IsOption): string[] {
  const joined: string[] = []
  for (let start = 0; start < pieces.length;) {
    const end = endOfTitle(pieces, start, isOption)
    joined.push(pieces.slice(start, end).join(''))
    start = end + 1
  }
  return joined
}

/** The end of the title that begins at `start`, or of the single piece there. A title never begins with a separator. */
function endOfTitle(pieces: readonly string[], start: number, isOption: IsOption): number {
  let run = (pieces[start] ?? '').trimStart()
  let titleEnd = start + 1
  for (let end = titleEnd; run !== '' && end < pieces.length; end += 2) {
    run += `${pieces[end]}${pieces[end + 1]}`
    if (run.length > MAX_TITLE_CHARACTERS) break
    if (isOption(run.trimEnd())) titleEnd = end + 2
  }
  return titleEnd
}

const trimmed = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== '')

// Finds options by title without regard to case, since no two options of an attribute differ only in case.

/** The API has the same limit. */
export const MAX_TITLE_CHARACTERS = 255

const titlesOf = new WeakMap<Attribute, ReadonlyMap<string, string>>()

/** The title as the attribute spells it. Archived options are not found. */
export function findOptionTitle(attribute: Attribute, title: string): string | undefined {
  const titles = titlesOf.get(attribute) ?? collectTitles(attribute)
  return titles.get(simplify(title))
}

function collectTitles(attribute: Attribute): ReadonlyMap<string, string> {
  const current = attribute.options.filter(({ is_archived }) => !is_archived)
  const titles = new Map(current.map(({ title }) => [simplify(title), title]))
  titlesOf.set(attribute, titles)
  return titles
}

const simplify = (title: string): string => title.trim().toLowerCase()

// Splits cells with several email addresses or telephone numbers, and drops what people write around them.

/** Only addresses, separated by commas. */
const BARE_EMAILS = /^[^\s;|<>:]+$/
/** Only one number. */
const BARE_PHONE = /^\+?\d(?:[\d() .-]*\d)?$/

/** `Ada <ada@example.com>; mailto:bob@example.com`. */
export const splitEmails = (text: string): string[] =>
  BARE_EMAILS.test(text) ? text.split(',').filter(isFilled) : splitWritten(text)

const splitWritten = (text: string): string[] =>
  text
    .split(/[;|\n,]/)
    .flatMap((part) => /<([^<>]+)>/.exec(part)?.[1] ?? part.trim().split(/\s+/))
    .map((part) => part.trim().replace(/^mailto:/i, ''))
    .filter(isFilled)

/** Semicolons, bars, slashes, commas and line breaks separate numbers. The apostrophe of a spreadsheet is dropped. */
export const splitPhones = (text: string): string[] => (BARE_PHONE.test(text) ? [text] : splitNumbers(text))

const splitNumbers = (text: string): string[] =>
  text
    .split(/[;|\n,/]/)
    .map((part) => part.trim().replace(/^'/, ''))
    .filter(isFilled)

const isFilled = (part: string): boolean => part !== ''

// Reads amounts of money, such as `$1,200,000` and `1.2M EUR`. A list such as `$2800000, undisclosed amount, $400,000` stands for
// several funding rounds and is added up; an undisclosed amount counts as zero.

interface Amounts {
  /** The sum of the disclosed amounts, as exact decimal text; undefined when all are undisclosed. */
  readonly sum: string | undefined
  /** The currency that the text names; undefined when it names none. */
  readonly currency: string | undefined
}

const CURRENCY_MARKS: Readonly<Record<string, string>> = { $: 'USD', us$: 'USD', '€': 'EUR', '£': 'GBP', '₹': 'INR' }
const NUMBER = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d+(?:\.\d+)?`
const SCALE = String.raw` ?(?:thousand|million|billion|mio|mn|mm|bn|[kmb])\b`
const AMOUNT = new RegExp(
  // oxlint-disable-next-line relata/no-super-linear-regexp -- quadratic at worst, in texts of at most MAX_AMOUNT_LENGTH
  String.raw`(?<minus>-)? ?(?<before>us\$|[$€£₹]|\b[a-z]{3}\b)? ?(?<number>(?:${NUMBER})(?:${SCALE})?) ?(?<after>€|£|\b[a-z]{3}\b)?`,
  'gi',
)
/** Separators between amounts, and words for an undisclosed amount. */
const BETWEEN = /^(?:[\s,;|+&/]|and\b|undisclosed(?: amount)?|unknown(?: amount)?|not disclosed|n\/a|[-–—])*$/i

/** The form of most amounts. */
const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/

/** Matching a text with amounts takes time in the square of its length. */
const MAX_AMOUNT_LENGTH = 1000

/** Returns undefined when the text holds anything but amounts. */
export function readAmounts(written: string): Amounts | undefined {
  if (written.length > MAX_AMOUNT_LENGTH) return undefined
  if (PLAIN.test(written)) return { sum: written, currency: undefined }
  const text = written.replace(/\s+/g, ' ')
  const found = [...text.matchAll(AMOUNT)]
  if (!BETWEEN.test(text.replace(AMOUNT, ','))) return undefined
  const currencies = new Set(found.flatMap(({ groups }) => markOf(groups?.before ?? groups?.after)))
  if (currencies.size > 1) return undefined
  const decimals = found.map(({ groups }) => {
    const decimal = readDecimalText(groups?.number ?? '')
    return decimal && groups?.minus ? `-${decimal}` : decimal
  })
  if (!decimals.every((decimal) => decimal !== undefined)) return undefined
  return { sum: decimals.length > 0 ? addAll(decimals) : undefined, currency: currencies.values().next().value }
}

const markOf = (mark: string | undefined): string[] =>
  mark === undefined ? [] : [CURRENCY_MARKS[mark.toLowerCase()] ?? mark.toUpperCase()]

/** Exact: adds whole numbers of the smallest decimal place among them. */
function addAll(decimals: readonly string[]): string {
  const places = Math.max(...decimals.map((decimal) => decimal.split('.')[1]?.length ?? 0))
  const total = decimals.reduce((sum, decimal) => {
    const [integer = '0', fraction = ''] = decimal.split('.')
    return sum + BigInt(integer + fraction.padEnd(places, '0'))
  }, 0n)
  const digits = String(total < 0n ? -total : total).padStart(places + 1, '0')
  const point = digits.length - places
  const fraction = trimEnd(digits.slice(point), '0')
  return `${total < 0n ? '-' : ''}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

// From a company's website to its domain. A page on a social network, or on another site where many people have pages, is not the
// company's domain. The front page of such a site is the domain of the company that runs it.

type Website =
  | { readonly domain: string }
  /** A page on a social network, whose pages go to the attribute of this slug. */
  | { readonly profile: { readonly slug: string; readonly url: string } }
  | { readonly problem: string }

/** The attribute for pages on a social network, by the root domain of the network. */
const PROFILES: Readonly<Record<string, string>> = {
  'twitter.com': 'twitter',
  'x.com': 'twitter',
  'facebook.com': 'facebook',
  'fb.com': 'facebook',
  'linkedin.com': 'linkedin',
  'instagram.com': 'instagram',
  'angel.co': 'angellist',
  'angellist.com': 'angellist',
  'wellfound.com': 'angellist',
}

/** Sites where many people have pages, and that have no attribute. */
const SHARED_SITES = new Set([
  'about.me',
  'apple.com',
  'bit.ly',
  'crunchbase.com',
  'github.com',
  'google.com',
  'kickstarter.com',
  'medium.com',
  'pinterest.com',
  'producthunt.com',
  'tiktok.com',
  'vimeo.com',
  'wikipedia.org',
  'yelp.com',
  'youtube.com',
])

const MAX_ADDRESS_LENGTH = 16 * 1024

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?(?:[^/?#@]*@)?([^/?#@:\s]+?)\.?(?::\d*)?([/?#].*)?$/i

export function readWebsite(text: string): Website {
  if (text.length > MAX_ADDRESS_LENGTH) return { problem: `A website has at most ${MAX_ADDRESS_LENGTH} characters` }
  const url = text.trim()
  const [, written = '', rest = ''] = ADDRESS.exec(url) ?? []
  // `www.` is a host and not a part of the name, unless nothing else remains, as in www.com.
  const name = parseHostName(written.replace(/^www\./i, '')) ?? parseHostName(written)
  if (!name) return { problem: `"${url}" is not a website` }
  if (/[^/?#]/.test(rest)) {
    const slug = PROFILES[name.root]
    if (slug !== undefined) return { profile: { slug, url } }
    if (SHARED_SITES.has(name.root)) return { problem: `"${url}" is a page on ${name.root}, not a domain of its own` }
  }
  return { domain: name.host }
}
