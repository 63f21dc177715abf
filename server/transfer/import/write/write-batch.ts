/**
 * Writes a batch of rows. Rows that share a unique value or a name are written one after the other, so that the second
 * matches the record of the first. All other rows are written together.
 */

import type { ConvertedRow } from '#transfer/import/convert/compile-row'
import { type IdentifiedRow, identify } from '#transfer/import/match/identify'
import { findMatches } from '#transfer/import/match/find-matches'
import { ambiguousMatchReason } from '#transfer/import/policies'
import { updateRecords } from './update-records'
import { prepareCreation } from './create-records'
import type { WriteRows, WriteOptions, RowResult } from './write-records'

export interface PreparedBatch {
  /** The keys by which later rows may match the records of this batch. */
  readonly ownKeys: ReadonlySet<string>
  readonly write: WriteRows
}

/** Runs while the previous batch is written. Rows that depend on its keys are prepared after it. */
export async function prepareBatch(
  writeOptions: WriteOptions,
  rows: readonly ConvertedRow[],
  previousKeys: ReadonlySet<string>,
): Promise<PreparedBatch> {
  const identified = rows.map((row) => identify(writeOptions.identification, row))
  const { independent, dependent, ownKeys } = splitByDependency(identified, previousKeys)
  const writeIndependent = await prepareRows(writeOptions, independent)
  const write = async () => {
    const written = await writeIndependent()
    for (let remaining = dependent; remaining.length > 0;) {
      const split = splitByDependency(remaining, NO_KEYS)
      const writeNext = await prepareRows(writeOptions, split.independent)
      written.push(...(await writeNext()))
      remaining = split.dependent
    }
    return written
  }
  return { ownKeys, write }
}

const NO_KEYS: ReadonlySet<string> = new Set()

interface SplitRows {
  /** Rows that depend on no key of the previous batch or of an earlier row. */
  readonly independent: readonly IdentifiedRow[]
  /** The other rows, in their order. */
  readonly dependent: readonly IdentifiedRow[]
  /** The keys of all rows. */
  readonly ownKeys: ReadonlySet<string>
}

function splitByDependency(rows: readonly IdentifiedRow[], previousKeys: ReadonlySet<string>): SplitRows {
  const ownKeys = new Set<string>()
  const independent: IdentifiedRow[] = []
  const dependent: IdentifiedRow[] = []
  for (const row of rows) {
    const isDependent = row.dependsOn.some((key) => ownKeys.has(key) || previousKeys.has(key))
    ;(isDependent ? dependent : independent).push(row)
    for (const key of row.ownKeys) ownKeys.add(key)
  }
  return { independent, dependent, ownKeys }
}

async function prepareRows(writeOptions: WriteOptions, rows: readonly IdentifiedRow[]): Promise<WriteRows> {
  const matches = await findMatches(writeOptions, rows)
  const ambiguous: RowResult[] = []
  const unmatched: ConvertedRow[] = []
  const matched: { row: ConvertedRow; id: string }[] = []
  for (const [index, identified] of rows.entries()) {
    const { row } = identified
    const [id, ...others] = matches[index] ?? []
    if (others.length > 0) {
      const reason = ambiguousMatchReason(writeOptions.identification, identified, others.length + 1)
      ambiguous.push({ row, outcome: 'skipped', reason })
    } else if (id === undefined) unmatched.push(row)
    else matched.push({ row, id })
  }
  const createRecords = await prepareCreation(writeOptions, unmatched)
  return async () => [...ambiguous, ...(await createRecords()), ...(await updateRecords(writeOptions, matched))]
}
