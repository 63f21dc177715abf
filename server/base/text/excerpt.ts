const MAX_LENGTH = 200

/** The beginning of a text, so that an error message that quotes it stays short: at most 200 characters and an ellipsis. */
export function excerpt(text: string): string {
  if (text.length <= MAX_LENGTH) return text
  return `${text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`
}
