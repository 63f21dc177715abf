/** Suggests the word that a client probably meant. See docs/reference/errors-and-limits.md (The error body). */

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

/**
 * Returns the Damerau-Levenshtein distance from `from` to each prefix of `to`: insertions, deletions, substitutions and
 * transpositions of neighbours. The last one is the distance to all of `to`.
 */
export function editDistances(from: ArrayLike<string>, to: ArrayLike<string>): readonly number[] {
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = at(last, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwapped ? at(beforeLast, j - 2) + 1 : Infinity
      row.push(Math.min(changed, swapped, at(last, j) + 1, at(row, j - 1) + 1))
    }
    beforeLast = last
    last = row
  }
  return last
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
