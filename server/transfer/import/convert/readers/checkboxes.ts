/** Yes and no, in the words and marks that spreadsheets contain. */

const WORDS = new Map<string, boolean>([
  ...['true', 'yes', 'y', '1', 'x', 'on', '✓', '✔'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', '0', 'off', '✗', '✘'].map((word) => [word, false] as const),
])

export const readCheckbox = (text: string): boolean | undefined => WORDS.get(text.trim().toLowerCase())
