/**
 * Writes a batch of rows. Rows that share a unique value or a name go one after the other, so that the second finds what
 * the first became; all others go together.
 */

import type { ConvertedRow } from '../convert/convert-row'
import { type IdentifiedRow, identify } from '../match/identify'
import { findMatches, severalMatch } from '../match/match-rows'
import { writeKnown } from './update-records'
import { prepareNew } from './create-records'
import type { WriteRows, Writing, WrittenRow } from './written-row'

/** A batch that is ready to be written. */
export interface ReadyBatch {
  /** What rows that are written after it may find its records by. */
  readonly claims: ReadonlySet<string>
  readonly write: WriteRows
}

/** While the batch before it is being written: rows that need what that claims wait until it is through. */
export async function prepareBatch(
  writing: Writing,
  rows: readonly ConvertedRow[],
  claimedBefore: ReadonlySet<string>,
): Promise<ReadyBatch> {
  const wave = splitWave(
    rows.map((row) => identify(writing.identification, row)),
    claimedBefore,
  )
  const first = await prepareWave(writing, wave.now)
  const write = async () => {
    const written = await first()
    for (let waiting = wave.later; waiting.length > 0;) {
      const { now, later } = splitWave(waiting, NOTHING)
      const next = await prepareWave(writing, now)
      written.push(...(await next()))
      waiting = later
    }
    return written
  }
  return { claims: wave.claims, write }
}

const NOTHING: ReadonlySet<string> = new Set()

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

async function prepareWave(writing: Writing, rows: readonly IdentifiedRow[]): Promise<WriteRows> {
  const found = await findMatches(writing, rows)
  const unclear: WrittenRow[] = []
  const fresh: ConvertedRow[] = []
  const known: { row: ConvertedRow; id: string }[] = []
  for (const [index, identified] of rows.entries()) {
    const { row } = identified
    const [id, ...others] = found[index] ?? []
    if (others.length > 0)
      unclear.push({ row, outcome: 'skipped', reason: severalMatch(writing, identified, others.length + 1) })
    else if (id === undefined) fresh.push(row)
    else known.push({ row, id })
  }
  const writeNew = await prepareNew(writing, fresh)
  return async () => [...unclear, ...(await writeNew()), ...(await writeKnown(writing, known))]
}
