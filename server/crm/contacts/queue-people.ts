/**
 * Queues people that were created or that got email addresses, from their change events, so that the writes of people cost nothing
 * more. See docs/decisions/contacts-and-interactions.md.
 */

import type { FeedReader } from '#crm/follow-feed'
import { contactTypesOf } from './contact-types'
import { type QueuedPeople, queuePeople } from './job-store'

const MAX_IN_JOB = 500
/** More people in one batch of events come from an import or a script. */
const MIN_BULK = 50

export const queueChangedPeople: FeedReader = async (tx, events, { now, model }) => {
  const types = contactTypesOf(model)
  if (types === undefined) return
  const { people, emailAddresses } = types
  const changed = new Set<string>()
  for (const { event_type, id } of events) {
    const isConcerned =
      (event_type === 'record.created' && id.object_id === people.id) ||
      (event_type === 'record.updated' && id.attribute_id === emailAddresses.id)
    if (isConcerned && id.record_id !== undefined) changed.add(id.record_id)
  }
  const recordIds = [...changed]
  const jobs: QueuedPeople[] = []
  for (let start = 0; start < recordIds.length; start += MAX_IN_JOB)
    jobs.push({
      workspace_id: model.workspace.id,
      record_ids: recordIds.slice(start, start + MAX_IN_JOB),
      is_bulk: recordIds.length >= MIN_BULK,
    })
  if (jobs.length > 0) await queuePeople(tx, jobs, now())
}
