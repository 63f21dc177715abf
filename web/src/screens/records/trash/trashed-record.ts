import type { TrashedRecord } from '../../../api/records/trash'

const DAY_MS = 86_400_000

/** "30 days", "1 day", "Less than a day": the time until a record expires. */
export function timeLeft({ expires_at }: Pick<TrashedRecord, 'expires_at'>, now = Date.now()): string {
  const days = Math.round((new Date(expires_at).getTime() - now) / DAY_MS)
  if (days < 1) return 'Less than a day'
  return days === 1 ? '1 day' : `${days} days`
}
