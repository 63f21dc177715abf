/**
 * Reads amounts of money, such as `$1,200,000` and `1.2M EUR`. A list such as `$2800000, undisclosed amount, $400,000`
 * stands for several funding rounds and is added up; an undisclosed amount counts as zero.
 */

import { trimEnd } from '#base/text/csv-line'
import { readDecimalText } from '#vocabulary/written-values'

export interface Amounts {
  /** The sum of the disclosed amounts, as exact decimal text; undefined when all are undisclosed. */
  readonly sum: string | undefined
  /** The currency that the text names; undefined when it names none. */
  readonly currency: string | undefined
}

const CURRENCY_MARKS: Readonly<Record<string, string>> = { $: 'USD', us$: 'USD', '€': 'EUR', '£': 'GBP', '₹': 'INR' }
const NUMBER = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)|\d+(?:\.\d+)?`
const SCALE = String.raw` ?(?:thousand|million|billion|mio|mn|mm|bn|[kmb])\b`
const AMOUNT = new RegExp(
  // oxlint-disable-next-line relata/no-super-linear-regexp -- quadratic at worst, in texts of at most MAX_LENGTH
  String.raw`(?<minus>-)? ?(?<before>us\$|[$€£₹]|\b[a-z]{3}\b)? ?(?<number>(?:${NUMBER})(?:${SCALE})?) ?(?<after>€|£|\b[a-z]{3}\b)?`,
  'gi',
)
/** Separators between amounts, and words for an undisclosed amount. */
const BETWEEN = /^(?:[\s,;|+&/]|and\b|undisclosed(?: amount)?|unknown(?: amount)?|not disclosed|n\/a|[-–—])*$/i

/** The form of most amounts. */
const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/

/** Matching a text with amounts takes time in the square of its length. */
const MAX_LENGTH = 1000

/** Returns undefined when the text holds anything but amounts. */
export function readAmounts(written: string): Amounts | undefined {
  if (written.length > MAX_LENGTH) return undefined
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
