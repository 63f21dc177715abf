/**
 * Queues people that were created or that got email addresses, from their change events. The publisher does it for all events
 * that it publishes together, so that the writes of people cost nothing more. See docs/decisions/contacts-and-interactions.md.
 */

import type { Transaction } from '#db/connect'
import { createLru } from '#base/caching/caching'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { OnPublish, PublishedEvent } from '#events/feed/publish'
import type { Clock } from '#base/timing/clock'
import { type QueuedPeople, queuePeople } from './job-store'

/** Ids that a workspace never changes. */
interface PeopleIds {
  readonly objectId: string
  /** Of the attribute `email_addresses`. */
  readonly attributeId: string
}

const MAX_WORKSPACES = 1000
const MAX_IN_JOB = 500
/** More people in one batch of events come from an import or a script. */
const MIN_BULK = 50

export function createPeopleQueue(now: Clock): OnPublish {
  const known = createLru<string, PeopleIds>(MAX_WORKSPACES)

  async function idsOf(tx: Transaction, workspaceIds: readonly string[]): Promise<ReadonlyMap<string, PeopleIds>> {
    const unknown = workspaceIds.filter((id) => known.get(id) === undefined)
    const loaded = unknown.length === 0 ? new Map<string, PeopleIds>() : await loadIds(tx, unknown)
    for (const [id, ids] of loaded) known.set(id, ids)
    return new Map(
      workspaceIds.flatMap((id) => {
        const ids = loaded.get(id) ?? known.get(id)
        return ids === undefined ? [] : [[id, ids] as const]
      }),
    )
  }

  return async (tx, events) => {
    const candidates = events.filter(
      ({ body: { event_type } }) => event_type === 'record.created' || event_type === 'record.updated',
    )
    if (candidates.length === 0) return
    const byWorkspace = Map.groupBy(candidates, ({ workspaceId }) => workspaceId)
    const ids = await idsOf(tx, [...byWorkspace.keys()])
    const jobs = [...byWorkspace].flatMap(([workspaceId, each]) => jobsOf(workspaceId, each, ids.get(workspaceId)))
    if (jobs.length > 0) await queuePeople(tx, jobs, now())
  }
}

async function loadIds(tx: Transaction, workspaceIds: readonly string[]): Promise<Map<string, PeopleIds>> {
  const rows = await controlQueriesIn(tx)
    .selectFrom('relata.objects as o')
    .innerJoin('relata.attributes as a', (join) =>
      join.onRef('a.workspace_id', '=', 'o.workspace_id').onRef('a.entity_type_id', '=', 'o.id'),
    )
    .select(['o.workspace_id', 'o.id as object_id', 'a.id as attribute_id'])
    .where('o.workspace_id', 'in', workspaceIds)
    .where('o.standard_slug', '=', 'people')
    .where('a.api_slug', '=', 'email_addresses')
    .execute()
  return new Map(
    rows.map(({ workspace_id, object_id, attribute_id }) => [
      workspace_id,
      { objectId: object_id, attributeId: attribute_id },
    ]),
  )
}

function jobsOf(workspace_id: string, events: readonly PublishedEvent[], ids: PeopleIds | undefined): QueuedPeople[] {
  if (ids === undefined) return []
  const people = new Set<string>()
  for (const { body } of events) {
    const { object_id, attribute_id, record_id } = body.id
    const isConcerned =
      body.event_type === 'record.created' ? object_id === ids.objectId : attribute_id === ids.attributeId
    if (isConcerned && record_id !== undefined) people.add(record_id)
  }
  const recordIds = [...people]
  const jobs: QueuedPeople[] = []
  for (let start = 0; start < recordIds.length; start += MAX_IN_JOB)
    jobs.push({
      workspace_id,
      record_ids: recordIds.slice(start, start + MAX_IN_JOB),
      is_bulk: recordIds.length >= MIN_BULK,
    })
  return jobs
}
