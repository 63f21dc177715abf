/** Checks the feed against the stored records: no gaps, one event for each change, in the order of the changes. */

import type { Request } from '../../support/http/client'

export interface FeedEvent {
  readonly event_id: string
  readonly event: {
    readonly event_type: string
    readonly id: Readonly<Record<string, string>>
    readonly duplicate_record_id?: string
  }
}

/** Reads the whole feed in pages of this size. */
export async function readFeed(request: Request, limit: number): Promise<FeedEvent[]> {
  const found: FeedEvent[] = []
  let cursor = ''
  for (;;) {
    const { body } = await request('GET', `/v2/events?limit=${limit}${cursor}`)
    found.push(...body.data)
    if (!body.pagination.has_more) return found
    cursor = `&cursor=${body.pagination.next_cursor}`
  }
}

/**
 * Replays the events of records and entries. Nothing is created twice or changed while it does not exist, and what
 * exists at the end is what is `stored`.
 */
export function replayFaults(events: readonly FeedEvent[], stored: ReadonlySet<string>): string[] {
  const living = new Set<string>()
  const faults: string[] = []
  const ids = new Set(events.map(({ event_id }) => event_id))
  if (ids.size < events.length) faults.push(`${events.length - ids.size} events come twice`)
  for (const { event, event_id } of events) {
    const fault = step(living, event)
    if (fault !== undefined) faults.push(`${event_id} ${event.event_type}: ${fault}`)
  }
  for (const id of living.difference(stored)) faults.push(`${id} exists by the feed and is not stored`)
  for (const id of stored.difference(living)) faults.push(`${id} is stored and does not exist by the feed`)
  return faults
}

/** Returns a fault if the event contradicts what exists before it. */
function step(living: Set<string>, { event_type, id, duplicate_record_id }: FeedEvent['event']): string | undefined {
  const subject = id.entry_id ?? id.record_id ?? ''
  const isLiving = living.has(subject)
  switch (event_type) {
    case 'record.created':
    case 'list-entry.created':
      living.add(subject)
      return isLiving ? `${subject} exists` : undefined
    case 'record.deleted':
    case 'list-entry.deleted':
      living.delete(subject)
      return isLiving ? undefined : `${subject} does not exist`
    case 'record.merged': {
      living.add(subject)
      const wasThere = living.delete(duplicate_record_id ?? '')
      return wasThere ? undefined : `${duplicate_record_id} does not exist`
    }
    case 'record.updated':
    case 'list-entry.updated':
      return isLiving ? undefined : `${subject} does not exist`
    default:
      return undefined
  }
}
