/**
 * Writes a batch of rows. Rows that share a unique value or a name go one after the other, so that the second finds what
 * the first became; all others go together.
 */

import type { ConvertedRow } from '../convert/compile-row'
import { type IdentifiedRow, identify } from '../match/identify'
import { findMatches, ambiguousMatchReason } from '../match/find-matches'
import { updateRecords } from './update-records'
import { prepareCreation } from './create-records'
import type { WriteRows, WriteOptions, RowResult } from './row-result'

/** A batch that is ready to be written. */
export interface ReadyBatch {
  /** What rows that are written after it may find its records by. */
  readonly claims: ReadonlySet<string>
  readonly write: WriteRows
}

/** While the batch before it is being written: rows that need what that claims wait until it is through. */
export async function prepareBatch(
  writeOptions: WriteOptions,
  rows: readonly ConvertedRow[],
  claimedBefore: ReadonlySet<string>,
): Promise<ReadyBatch> {
  const wave = splitWave(
    rows.map((row) => identify(writeOptions.identification, row)),
    claimedBefore,
  )
  const first = await prepareWave(writeOptions, wave.now)
  const write = async () => {
    const written = await first()
    for (let waiting = wave.later; waiting.length > 0;) {
      const { now, later } = splitWave(waiting, NO_VALUES)
      const next = await prepareWave(writeOptions, now)
      written.push(...(await next()))
      waiting = later
    }
    return written
  }
  return { claims: wave.claims, write }
}

const NO_VALUES: ReadonlySet<string> = new Set()

interface Wave {
  /** The rows that need nothing that is claimed by others, or by a row before them. */
  readonly now: readonly IdentifiedRow[]
  /** The others, in their order. */
  readonly later: readonly IdentifiedRow[]
  /** What all of them claim. */
  readonly claims: ReadonlySet<string>
}

function splitWave(rows: readonly IdentifiedRow[], claimedByOthers: ReadonlySet<string>): Wave {
  const claims = new Set<string>()
  const now: IdentifiedRow[] = []
  const later: IdentifiedRow[] = []
  for (const row of rows) {
    const isFree = !row.needs.some((claim) => claims.has(claim) || claimedByOthers.has(claim))
    ;(isFree ? now : later).push(row)
    for (const claim of row.claims) claims.add(claim)
  }
  return { now, later, claims }
}

async function prepareWave(writeOptions: WriteOptions, rows: readonly IdentifiedRow[]): Promise<WriteRows> {
  const found = await findMatches(writeOptions, rows)
  const unclear: RowResult[] = []
  const fresh: ConvertedRow[] = []
  const known: { row: ConvertedRow; id: string }[] = []
  for (const [index, identified] of rows.entries()) {
    const { row } = identified
    const [id, ...others] = found[index] ?? []
    if (others.length > 0)
      unclear.push({ row, outcome: 'skipped', reason: ambiguousMatchReason(writeOptions, identified, others.length + 1) })
    else if (id === undefined) fresh.push(row)
    else known.push({ row, id })
  }
  const writeNew = await prepareCreation(writeOptions, fresh)
  return async () => [...unclear, ...(await writeNew()), ...(await updateRecords(writeOptions, known))]
}
