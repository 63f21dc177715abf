/** The differences between two texts, line by line. */

export interface DiffLine {
  readonly kind: 'same' | 'gone' | 'new'
  readonly text: string
}

/** The shortest edit from one text to the other: same, removed and added lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const lengths = commonLengths(old, now)
  const lines: DiffLine[] = []
  let [at, to] = [0, 0]
  while (at < old.length || to < now.length) {
    const [gone, fresh] = [old[at], now[to]]
    if (gone !== undefined && gone === fresh) {
      lines.push({ kind: 'same', text: gone })
      at += 1
      to += 1
    } else if (
      gone !== undefined &&
      (fresh === undefined || lengthAt(lengths, at + 1, to) >= lengthAt(lengths, at, to + 1))
    ) {
      lines.push({ kind: 'gone', text: gone })
      at += 1
    } else {
      lines.push({ kind: 'new', text: fresh ?? '' })
      to += 1
    }
  }
  return lines
}

/** The length of the longest common subsequence of the lines after each pair of indexes. */
function commonLengths(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = old.map(() => now.map(() => 0))
  for (let at = old.length - 1; at >= 0; at -= 1) {
    const row = lengths[at] ?? []
    for (let to = now.length - 1; to >= 0; to -= 1) {
      row[to] =
        old[at] === now[to]
          ? lengthAt(lengths, at + 1, to + 1) + 1
          : Math.max(lengthAt(lengths, at + 1, to), lengthAt(lengths, at, to + 1))
    }
  }
  return lengths
}

const lengthAt = (lengths: readonly (readonly number[])[], at: number, to: number): number => lengths[at]?.[to] ?? 0
