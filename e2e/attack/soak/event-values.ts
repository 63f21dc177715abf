/** Checks that the values in events form chains: each event begins with the values that the one before it ended with. */

import type { Request } from '../../support/http/client'
import type { Reader } from '../../support/service/database'

interface ValuesEvent {
  readonly event_type: string
  readonly id: Readonly<Record<string, string>>
  /** Of `record.merged`. */
  readonly duplicate_record_id?: string
  readonly new_values?: readonly Value[] | null
  readonly previous_values?: readonly Value[] | null
}

type Value = Readonly<Record<string, unknown>>

/** The events of one webhook, in the order of the feed, as its deliveries have them. */
export async function readDeliveredEvents(reader: Reader, webhookId: string): Promise<ValuesEvent[]> {
  const rows = await reader<{ body: string }[]>`
    select body from relata.deliveries where webhook_id = ${webhookId} order by position, id`
  return rows.flatMap(({ body }) => JSON.parse(body).events)
}

export interface Chains {
  readonly faults: string[]
  /** The last values by record and attribute, where the events tell them. */
  readonly last: ReadonlyMap<string, string>
}

export function followChains(events: readonly ValuesEvent[]): Chains {
  const last = new Map<string, string>()
  const merged = new Map<string, string>()
  const faults: string[] = []
  for (const { event_type, id, duplicate_record_id, new_values, previous_values } of events) {
    if (event_type !== 'record.updated') {
      const recordId = duplicate_record_id ?? String(id.record_id)
      for (const one of [recordId, ...mergesOf(merged, recordId)]) forget(last, one)
      if (duplicate_record_id) merged.set(duplicate_record_id, String(id.record_id))
      continue
    }
    const key = `${id.record_id} ${id.attribute_id}`
    if (new_values == null || previous_values == null) {
      last.delete(key)
      continue
    }
    const before = last.get(key)
    const [previous, next] = [plain(previous_values), plain(new_values)]
    if (before !== undefined && before !== previous) faults.push(`${key}: ${before}, then ${previous} to ${next}`)
    last.set(key, next)
  }
  return { faults, last }
}

/** The record that an original was merged into, the one that it was merged into, and so on. `merged` has them by original. */
function mergesOf(merged: ReadonlyMap<string, string>, original: string): string[] {
  const next = merged.get(original)
  return next === undefined ? [] : [next, ...mergesOf(merged, next)]
}

/**
 * Forgets what is known of a record, and of the records that refer to it: a merge changes references to the originals without
 * an event, and so does the restoration of an original, which takes its references back from the merged record.
 */
function forget(last: Map<string, string>, recordId: string): void {
  for (const [key, value] of last) if (key.startsWith(recordId) || value.includes(recordId)) last.delete(key)
}

/** The differences between the last values of the events and the values of the records. */
export async function differencesNow(request: Request, object: string, { last }: Chains): Promise<string[]> {
  const attributes = (await request('GET', `/v2/objects/${object}/attributes`)).body.data
  const slugs = new Map<string, string>(
    attributes.map((each: { id: { attribute_id: string }; api_slug: string }) => [each.id.attribute_id, each.api_slug]),
  )
  const faults: string[] = []
  for (const [key, value] of last) {
    const [record = '', attribute = ''] = key.split(' ')
    const slug = slugs.get(attribute)
    if (slug === undefined) continue
    const { status, body } = await request('GET', `/v2/objects/${object}/records/${record}`)
    const now = status === 200 ? plain(body.data.values[slug]) : `status ${status}`
    if (now !== value) faults.push(`${slug} of ${record} is ${now}, the last event says ${value}`)
  }
  return faults
}

/** The values without their times and actors. */
const plain = (values: readonly Value[]): string =>
  JSON.stringify(
    values.map(({ active_from: _from, active_until: _until, created_by_actor: _actor, ...members }) =>
      Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ),
  )
