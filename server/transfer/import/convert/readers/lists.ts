/**
 * Splits a cell with several values. Semicolons, bars and line breaks separate values; commas do where a cell has none of
 * these. Titles of existing options keep their commas: `Research, Development and Testing` is one option if it exists.
 */

import { MAX_TITLE_CHARACTERS } from './option-titles'

/** Whether a text is the title of an existing option. */
type IsOption = (title: string) => boolean

/** A longer list is split at every comma, since the search for titles takes time in the square of the number of pieces. */
const MAX_PIECES = 200

/** The parts, trimmed, without those that repeat an earlier one in another case. */
export function splitList(text: string, isOption?: IsOption): string[] {
  const whole = text.trim()
  if (whole === '') return []
  const parts = isOption?.(whole) === true ? [whole] : separate(whole, isOption)
  const keys = new Set<string>()
  return parts.filter((part) => {
    const key = part.toLowerCase()
    return !keys.has(key) && keys.add(key)
  })
}

function separate(text: string, isOption: IsOption | undefined): string[] {
  if (/[;|\n]/.test(text)) return trimmed(text.split(/[;|\n]/))
  const pieces = text.split(',')
  return trimmed(isOption === undefined || pieces.length > MAX_PIECES ? pieces : joinTitles(pieces, isOption))
}

/** Joins the longest run of pieces that is the title of an option; any other piece stays alone. */
function joinTitles(pieces: readonly string[], isOption: IsOption): string[] {
  const joined: string[] = []
  for (let start = 0; start < pieces.length;) {
    const end = endOfTitle(pieces, start, isOption)
    joined.push(pieces.slice(start, end).join(','))
    start = end
  }
  return joined
}

/** The end of the title that begins at `start`, or of the single piece there. A title never begins with a comma. */
function endOfTitle(pieces: readonly string[], start: number, isOption: IsOption): number {
  let run = (pieces[start] ?? '').trimStart()
  let titleEnd = start + 1
  for (let end = titleEnd; run !== '' && end < pieces.length; end++) {
    run = `${run},${pieces[end]}`
    if (run.length > MAX_TITLE_CHARACTERS) break
    if (isOption(run.trimEnd())) titleEnd = end + 1
  }
  return titleEnd
}

const trimmed = (parts: readonly string[]): string[] => parts.map((part) => part.trim()).filter((part) => part !== '')
