/** Numbers as people write them in a field. */

/** Longer than any number a person writes, and short enough to be matched at once. */
const MAX_LENGTH = 400

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i

/** Undefined for what is no number, or one too large to be held. Commas mean different things in different countries. */
export function readNumber(text: string): number | undefined {
  if (text.length > MAX_LENGTH || !NUMBER.test(text)) return undefined
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}
