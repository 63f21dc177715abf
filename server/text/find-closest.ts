/** Suggests the word that a client probably meant. See docs/reference/errors-and-limits.md (The error body). */

import { editDistances } from './edit-distance'

/** Returns the candidate with the smallest edit distance to `word`, if that is small for its length. */
export function findClosest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.slice(0, 64).toLowerCase()
  let best: string | undefined
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const edits = editDistances(wanted, candidate.toLowerCase()).at(-1) ?? Infinity
    if (edits >= fewest) continue
    fewest = edits
    best = candidate
  }
  return best
}
