/** The Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions of neighbours. */

/** Returns the distance from `from` to each prefix of `to`. The last one is the distance to all of `to`. */
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
