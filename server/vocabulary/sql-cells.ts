/** The values of a result of SQL as text. */

/** How days and instants are written. */
interface TimeTexts {
  readonly dayText: (day: string) => string
  readonly instantText: (instant: string) => string
}

export function textOfCell(value: unknown, type: string, times: TimeTexts): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return scalarText(value, type, times)
  if (Array.isArray(value)) return value.map((item) => textOfCell(item, itemType(type), times)).join(', ')
  if (typeof value === 'object' && 'full_name' in value && typeof value.full_name === 'string') return value.full_name
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The type of the elements of an array. */
export const itemType = (type: string): string => type.replace(/\[\]$/, '')

function scalarText(value: string, type: string, { dayText, instantText }: TimeTexts): string {
  if (/^date$/.test(type)) return dayText(value)
  return type.startsWith('timestamp') ? instantText(value) : value
}
