/**
 * Several values in one cell. Semicolons, bars and line breaks separate; where there are none, commas do. Titles that are
 * known keep their commas: `Research, Development and Testing` is one option if there is such an option.
 */

import { LONGEST_TITLE } from './option-titles'

/** Tells a title of an option from other text. */
type IsKnown = (title: string) => boolean

/** Of more pieces between commas each is a part: to look for known titles takes time in the square of their number. */
const MOST_JOINED = 200

/** The parts, trimmed, each once whatever its capitals. */
export function splitList(text: string, isKnown?: IsKnown): string[] {
  const whole = text.trim()
  if (whole === '') return []
  const parts = isKnown?.(whole) === true ? [whole] : separate(whole, isKnown)
  const seen = new Set<string>()
  return parts.filter((part) => {
    const key = part.toLowerCase()
    return !seen.has(key) && seen.add(key)
  })
}

function separate(text: string, isKnown: IsKnown | undefined): string[] {
  if (/[;|\n]/.test(text)) return trimmed(text.split(/[;|\n]/))
  const pieces = text.split(',')
  return trimmed(isKnown === undefined || pieces.length > MOST_JOINED ? pieces : joinKnown(pieces, isKnown))
}

/** Takes the longest run of pieces that is a known title, else the next piece alone. */
function joinKnown(pieces: readonly string[], isKnown: IsKnown): string[] {
  const joined: string[] = []
  for (let start = 0; start < pieces.length;) {
    const end = endOfKnown(pieces, start, isKnown)
    joined.push(pieces.slice(start, end).join(','))
    start = end
  }
  return joined
}

/** Where the pieces from `start` on that are one known title end; titles do not begin with a comma. */
function endOfKnown(pieces: readonly string[], start: number, isKnown: IsKnown): number {
  let run = (pieces[start] ?? '').trimStart()
  let known = start + 1
  for (let end = known; run !== '' && end < pieces.length; end++) {
    run = `${run},${pieces[end]}`
    if (run.length > LONGEST_TITLE) break
    if (isKnown(run.trimEnd())) known = end + 1
  }
  return known
}

const trimmed = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== '')
