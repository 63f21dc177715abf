/**
 * Reads numbers as people and spreadsheets write them: `1,234.5`, `1.234,5`, `1 234`, `12 %`, `1.2M`. The result is exact
 * decimal text, since amounts of money are stored exactly.
 */

const FORMS = [
  // English: commas between thousands.
  { form: /^([-+]?)(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?$/, separators: /,/g },
  // Spaces or apostrophes between thousands.
  { form: /^([-+]?)(\d{1,3}(?:[\s'’]\d{3})+)(?:[.,](\d+))?$/, separators: /[\s'’]/g },
  // Continental: points between thousands, a comma before decimals.
  { form: /^([-+]?)(\d{1,3}(?:\.\d{3})+)(?:,(\d+))?$/, separators: /\./g },
  { form: /^([-+]?)(\d+),(\d+)$/, separators: /,/g },
  { form: /^([-+]?)()\.(\d+)$/, separators: /,/g },
]

const EXPONENTS: Readonly<Record<string, number>> = {
  k: 3,
  thousand: 3,
  m: 6,
  mm: 6,
  mn: 6,
  mio: 6,
  million: 6,
  b: 9,
  bn: 9,
  billion: 9,
}

/** Counts the sign, the separators and the unit. */
const MAX_LENGTH = 400

const SCALED = /^(.*?\d)\s*(k|thousand|mm|mn|mio|million|m|bn|billion|b)$/i

/** Returns plain decimal text, `-1234.5`, or undefined. A single point before three digits is a decimal point. */
export function readDecimalText(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const scaled = SCALED.exec(text.trim())
  const digits = (scaled?.[1] ?? text).trim()
  for (const { form, separators } of FORMS) {
    const parts = form.exec(digits)
    if (!parts) continue
    const [, sign = '', integer = '', fraction = ''] = parts
    return shift(sign, integer.replace(separators, ''), fraction, EXPONENTS[scaled?.[2]?.toLowerCase() ?? ''] ?? 0)
  }
  return undefined
}

/** Ignores a percent sign. Returns undefined for a text that is not a number. */
export function readNumber(text: string): number | undefined {
  const number = text.trim()
  if (number.length > MAX_LENGTH) return undefined
  const trimmed = number.endsWith('%') ? number.slice(0, -1).trimEnd() : number
  if (/^[-+]?\d+(?:\.\d+)?e[-+]?\d+$/i.test(trimmed)) return Number(trimmed)
  const decimal = readDecimalText(trimmed)
  return decimal === undefined ? undefined : Number(decimal)
}

/** Moves the decimal point to the right. */
function shift(sign: string, integer: string, fraction: string, places: number): string {
  const digits = integer + fraction.padEnd(places, '0')
  const point = integer.length + places
  const rest = digits.slice(point)
  return `${sign === '-' ? '-' : ''}${digits.slice(0, point) || '0'}${rest === '' ? '' : `.${rest}`}`
}
