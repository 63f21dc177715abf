/** Suggests the word that a client probably meant. See docs/reference/errors-and-limits.md (The error body). */

import { editDistances } from './edit-distance'

/** From how many characters on the beginning of a candidate stands for it. */
const SHORTEST_PREFIX = 3

/**
 * Returns the candidate with the smallest edit distance to `word`, if that is small for its length. Otherwise the first candidate
 * that begins with the word, as `email_addresses` for `email`.
 */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase()
  let best: string | undefined
  let continued: string | undefined
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const name = candidate.toLowerCase()
    if (wanted.length >= SHORTEST_PREFIX && name.startsWith(wanted)) continued ??= candidate
    const edits = editDistances(wanted, name).at(-1) ?? Infinity
    if (edits >= fewest) continue
    fewest = edits
    best = candidate
  }
  return best ?? continued
}
