/** Rows that change while they are looked at. Their ids grow with time, so the newest are those with the greatest. */

export interface Merged<T> {
  /** The newest first. */
  readonly rows: readonly T[]
  /** How many are new above what was the first. */
  readonly added: number
  /** Whether older ones were let go. */
  readonly isCut: boolean
}

export interface MergeRules<T> {
  idOf(row: T): string
  /** Whether a row belongs here, as it is now. */
  fits(row: T): boolean
  /** How many are kept. */
  readonly most: number
}

/** Changed rows take the place of themselves or come in where they belong; those that no longer fit go. */
export function mergeNewest<T>(rows: readonly T[], changed: readonly T[], rules: MergeRules<T>): Merged<T> {
  const { idOf, fits, most } = rules
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  for (const row of changed) {
    if (fits(row)) byId.set(idOf(row), row)
    else byId.delete(idOf(row))
  }
  const merged = [...byId].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, row]) => row)
  const newest = rows[0] === undefined ? undefined : idOf(rows[0])
  const cache = merged.slice(0, most)
  const added = newest === undefined ? 0 : cache.filter((row) => idOf(row) > newest).length
  return { rows: cache, added, isCut: merged.length > most }
}
