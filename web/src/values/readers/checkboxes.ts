const CHECKED = new Set(['true', 'yes', 'y', 'x', '1', 'on', '✓', '✔', '☑'])
const UNCHECKED = new Set(['false', 'no', 'n', '0', 'off', '☐'])

/** Undefined for text that is neither. */
export function readChecked(text: string): boolean | undefined {
  const word = text.trim().toLowerCase()
  if (CHECKED.has(word)) return true
  return UNCHECKED.has(word) ? false : undefined
}
