/** Reads `Ada Lovelace` and `Lovelace, Ada`. The last word is the last name. */
export function readName(text: string): object | undefined {
  const trimmed = text.trim().replaceAll(/\s+/g, ' ')
  if (trimmed === '') return undefined
  const comma = trimmed.indexOf(',')
  const space = trimmed.lastIndexOf(' ')
  const first_name = comma >= 0 ? trimmed.slice(comma + 1).trim() : space < 0 ? trimmed : trimmed.slice(0, space)
  const last_name = comma >= 0 ? trimmed.slice(0, comma).trim() : space < 0 ? '' : trimmed.slice(space + 1)
  return { first_name, last_name, full_name: `${first_name} ${last_name}`.trim() }
}
