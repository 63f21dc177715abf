/** Reads numbers as people and spreadsheets write them: `1,234.5`, `1.234,5`, `1 234`, `€12`, `12 %`, `1.2M`. */

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

const SCALES: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, mm: 1e6, mn: 1e6, b: 1e9, bn: 1e9 }

const SCALED = /^(.{0,400}?\d)\s*(k|mm|mn|m|bn|b)$/i

/** Longer text is not matched. */
const MAX_LENGTH = 400

/** Undefined for text that is not a number. Currency signs, codes and a percent sign are ignored. */
export function readAnyNumber(text: string): number | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const bare = withoutUnit(text.trim())
  if (/^[-+]?\d+(?:\.\d+)?e[-+]?\d{1,3}$/i.test(bare)) return Number(bare)
  const [, digits = bare, scale = ''] = SCALED.exec(bare) ?? []
  for (const { form, separators } of FORMS) {
    const [, sign, integer, fraction = ''] = form.exec(digits) ?? []
    if (integer === undefined) continue
    const number = Number(`${sign}${integer.replace(separators, '') || '0'}.${fraction || '0'}`)
    return Number((number * (SCALES[scale.toLowerCase()] ?? 1)).toPrecision(15))
  }
  return undefined
}

function withoutUnit(text: string): string {
  const sign = /^[-+]/.exec(text)?.[0] ?? ''
  const unsigned = text.slice(sign.length).trim()
  const bare = unsigned.replace(/^(?:\p{Sc}|[A-Z]{3}(?=\s))/u, '').replace(/(?:\p{Sc}|[A-Z]{3}|%)$/u, '')
  return sign + bare.trim()
}
