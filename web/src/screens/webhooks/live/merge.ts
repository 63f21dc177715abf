/** Merges received rows into a list. Ids grow with time, so the newest row has the greatest id. */

export interface Merged<T> {
  /** The newest first. */
  readonly rows: readonly T[]
  /** The number of rows that were added at the top. */
  readonly added: number
  /** Whether older rows were removed. */
  readonly isCut: boolean
}

export interface MergeRules<T> {
  idOf(row: T): string
  /** Whether a row matches the filter. */
  fits(row: T): boolean
  /** The maximum number of rows. */
  readonly most: number
}

/** Replaces changed rows, inserts new ones, and removes rows that no longer match. */
export function mergeNewest<T>(rows: readonly T[], changed: readonly T[], rules: MergeRules<T>): Merged<T> {
  const { idOf, fits, most } = rules
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  for (const row of changed) {
    if (fits(row)) byId.set(idOf(row), row)
    else byId.delete(idOf(row))
  }
  const merged = [...byId].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, row]) => row)
  const newest = rows[0] === undefined ? undefined : idOf(rows[0])
  const limited = merged.slice(0, most)
  const added = newest === undefined ? 0 : limited.filter((row) => idOf(row) > newest).length
  return { rows: limited, added, isCut: merged.length > most }
}
