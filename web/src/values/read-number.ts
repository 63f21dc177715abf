/** Reads a number from the text of a field. */

/** The maximum length of text that is matched. */
const MAX_LENGTH = 400

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i

/** Undefined for text that is not a finite number. Commas are refused: their meaning depends on the country. */
export function readNumber(text: string): number | undefined {
  if (text.length > MAX_LENGTH || !NUMBER.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}
