import type { ServiceSettings } from '#context'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import type { ImportRow } from '#api/console/imports/store'

const DAY_MICROS = 86_400_000_000

/** As long as the trash keeps what was deleted at the end of the import. Undefined if it cannot be undone. */
export function undoableUntil(
  { started_at, ended_at }: Pick<ImportRow, 'started_at' | 'ended_at'>,
  { trashDays }: Pick<ServiceSettings, 'trashDays'>,
): Micros | undefined {
  if (started_at === null || ended_at === null || trashDays === 0) return undefined
  return microsFromPostgres(ended_at) + trashDays * DAY_MICROS
}
