/** The worker of interaction attributes: computes and writes those of records that are due. See docs/decisions/contacts-and-interactions.md. */

import type { Database } from '#db/connect'
import type { RequestContext } from '#context'
import { findAttribute, findObject } from '#engine/data-model/find'
import { type Attribute, type ObjectType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { writeEntity } from '#engine/entities/write/update-entity'
import { isOfInteractions } from '#engine/rollups/progress'
import { requestRollups } from '#engine/rollups/requests'
import { openBackgroundContext } from '#engine/entities/write/background-context'
import { logError } from '#base/logging/log-error'
import type { LogFailure } from '#base/timing/worker-statistics'
import { contactTypesOf } from '#crm/contacts/contact-types'
import { type ContactKeys, findAddressesOf } from '#crm/mailboxes/linked-contacts'
import { type Clock, microsFromPostgres, type Micros, timestampFromMicros } from '#base/timing/clock'
import { readActivityTouches, readEmails, readMeetingTouches, type Touch, type TouchesByKey } from './read-touches'
import { deleteTaken, queueWorker, type Taken, takeDue } from '#engine/queue'
import { interactionActivities } from './interaction-activities'
import { requestNextOfActivity } from './request-refreshes'
import {
  findWorkspacesToRefresh,
  finishRefreshes,
  type NextRefresh,
  type NextRefreshes,
  type QueuedRecord,
  refreshQueue,
} from './refresh-queue'
import type { Stored } from '#engine/attribute-types/define'
import { canonicalInstant } from '#engine/attribute-types/formats/instants'
import { computeStrength, type ConnectionStrength, nextChangeOfStrength } from './connection-strength'

export interface RefreshOptions {
  readonly db: Database
  readonly now: Clock
  readonly logFailure?: LogFailure
}

/** Keeps the interaction attributes of all workspaces up to date. */
export const interactionWorker = queueWorker<RefreshOptions>({
  name: 'interactions',
  does: 'refreshes interaction attributes',
  queue: refreshQueue,
  everyMs: 5_000,
  take: async (options, stopping, logFailure) => async () => {
    await refreshInteractions({ ...options, logFailure }, stopping)
    return false
  },
})

const BATCH_SIZE = 100
/** When a record whose attributes could not be written is tried again. */
const RETRY_DELAY = 5 * 60_000_000
/** Writes the due attributes of all workspaces, until nothing is due or the signal aborts. Returns the number of records. */
export async function refreshInteractions(options: RefreshOptions, signal?: AbortSignal): Promise<number> {
  const { db, now } = options
  let refreshed = 0
  for (const workspaceId of await findWorkspacesToRefresh(db.sql, now())) {
    for (;;) {
      if (signal?.aborted === true) return refreshed
      const count = await refreshBatch(options, workspaceId)
      refreshed += count
      if (count === 0) break
    }
  }
  return refreshed
}

async function refreshBatch(options: RefreshOptions, workspaceId: string): Promise<number> {
  const { db, now, logFailure = logError } = options
  const at = now()
  const taken = await takeDue(db, refreshQueue, { now: at, limit: BATCH_SIZE, workspaceId })
  if (taken.length === 0) return 0
  const { context } = await openBackgroundContext(db, workspaceId, now, () => SYSTEM_ACTOR)
  const next = new Map<string, NextRefresh>()
  const deleted: string[] = []
  for (const [objectId, records] of Map.groupBy(taken.map(recordOf), ({ objectId }) => objectId)) {
    const { model } = context()
    const activity = interactionActivities(model).find((one) => one.activity.id === objectId)
    if (activity !== undefined) {
      for (const record of records) await requestNextOfActivity(db.sql, model, activity, record, at)
    }
    const written = await refreshRecords(context(), objectId, records, { at, logFailure })
    for (const { recordId } of records) {
      const refresh = written.get(recordId)
      if (refresh === undefined) deleted.push(recordId)
      else next.set(recordId, refresh)
    }
    await requestFollowing(context(), objectId, records)
  }
  await deleteTaken(db.sql, refreshQueue, workspaceId, deleted)
  await finishRefreshes(db.sql, workspaceId, at, next)
  return taken.length
}

const recordOf = ({ object_id, record_id, requested_at }: Taken<'relata.interaction_refreshes'>): QueuedRecord => ({
  objectId: object_id,
  recordId: record_id,
  since: requested_at === null ? undefined : microsFromPostgres(requested_at),
})

/**
 * Requests the look-ups and rollups over the attributes before the queue forgets since when a write waits. The events of the attributes say when they
 * were computed.
 */
async function requestFollowing(
  { db, model, now }: RequestContext,
  objectId: string,
  records: readonly QueuedRecord[],
): Promise<void> {
  const attributes = (findObject(model, objectId)?.attributes ?? []).filter(isOfInteractions)
  const changes = [...Map.groupBy(records, ({ since }) => since)].flatMap(([since, same]) =>
    since === undefined
      ? []
      : attributes.map(({ id }) => ({
          entityTypeId: objectId,
          ids: same.map(({ recordId }) => recordId),
          attributeId: id,
          since,
        })),
  )
  await db.sql.begin((tx) => requestRollups(tx, model, changes, now()))
}

/** Returns when each record is due next. Leaves out records that do not exist, and rows of activities. */
async function refreshRecords(
  context: RequestContext,
  objectId: string,
  records: readonly QueuedRecord[],
  { at, logFailure }: { readonly at: Micros; readonly logFailure: LogFailure },
): Promise<NextRefreshes> {
  const { model, db } = context
  const next = new Map<string, NextRefresh>()
  const object = findObject(model, objectId)
  if (object === undefined) return next
  const ids = records.map(({ recordId }) => recordId)
  const keys = await findAddressesOf(db.sql, model, object, ids)
  const touchesOf = await readTouches(context, object, keys, at)
  for (const [id, own] of keys) {
    const { values, nextAt } = computeInteractions(object, touchesOf(id, own), at)
    try {
      if (await writeInteractions(context, object, id, values)) next.set(id, { at: nextAt, isDone: true })
    } catch (error) {
      // The worker continues with the other records of the batch.
      logFailure(`The interaction attributes of record ${id} could not be written.`, error)
      next.set(id, { at: at + RETRY_DELAY, isDone: false })
    }
  }
  return next
}

async function readTouches(
  { model, db }: RequestContext,
  object: ObjectType,
  keys: ReadonlyMap<string, ContactKeys>,
  at: Micros,
) {
  const all = (select: (own: ContactKeys) => readonly string[]) => [...new Set([...keys.values()].flatMap(select))]
  const addresses = all((own) => own.addresses)
  const people = contactTypesOf(model)?.people
  const records = [
    { object, ids: [...keys.keys()] },
    ...(people === undefined || people.id === object.id ? [] : [{ object: people, ids: all((own) => own.peopleIds) }]),
  ]
  const [byAddress, byDomain, meetings, activities] = await Promise.all([
    readEmails(db.sql, model, 'addresses', addresses),
    readEmails(
      db.sql,
      model,
      'domains',
      all((own) => own.domains),
    ),
    readMeetingTouches(db.sql, model, addresses, at),
    readActivityTouches(db.sql, model, records, at),
  ])
  const touchesIn = (touches: TouchesByKey, own: readonly string[]) => own.flatMap((key) => touches.get(key) ?? [])
  return (id: string, own: ContactKeys) => [
    ...touchesIn(byAddress, own.addresses),
    ...touchesIn(byDomain, own.domains),
    ...touchesIn(meetings, own.addresses),
    ...touchesIn(activities, [...new Set([id, ...own.peopleIds])]),
  ]
}

/** Writes only what differs. Returns false when the record does not exist. */
const writeInteractions = (
  context: RequestContext,
  { id: objectId }: ObjectType,
  id: string,
  values: InteractionValues,
): Promise<boolean> =>
  retryOnConflict(context, async (context, { locking }) => {
    const entityType = findObject(context.model, objectId)
    if (entityType === undefined) return false
    const assignments = Object.entries(values).flatMap(([slug, value]) => {
      const attribute = findAttribute(entityType, slug)
      return attribute === undefined ? [] : [{ attribute, values: value === undefined ? [] : [value] }]
    })
    const attributes = assignments.map(({ attribute }) => attribute)
    const written = await writeEntity({ context, entityType, id, locking, attributes }, async () => ({
      assignments,
      multiselectWriteOf: () => 'overwrite',
      isRefresh: true,
    }))
    return written !== undefined
  })

// Computes the values of interaction attributes. See docs/reference/emails.md (Interaction attributes).

/** The value of each interaction attribute, by its slug; undefined without a value. */
type InteractionValues = Readonly<Record<string, Stored | undefined>>

interface Computed {
  readonly values: InteractionValues
  /** When time alone changes the values next. */
  readonly nextAt: Micros | undefined
}

/** `touches` may repeat one that several addresses have. */
function computeInteractions(object: ObjectType, touches: readonly Touch[], now: Micros): Computed {
  const all = [...new Map(touches.map((touch) => [touch.id, touch])).values()].toSorted(compareTouches)
  const past = all.filter(({ at }) => at <= now)
  const emails = past.filter(({ kind }) => kind === 'email')
  const meetings = past.filter(({ kind }) => kind === 'calendar-event')
  const coming = all.filter(({ kind, at }) => kind !== 'email' && at > now)
  const [next] = coming
  const nextChanges = [next && next.at, nextChangeOfStrength(past, now)].filter((at) => at !== undefined)
  return {
    values: {
      first_email_interaction: renderTouch(emails[0]),
      last_email_interaction: renderTouch(emails.at(-1)),
      first_calendar_interaction: renderTouch(meetings[0]),
      last_calendar_interaction: renderTouch(meetings.at(-1)),
      next_calendar_interaction: renderTouch(coming.find(({ kind }) => kind === 'calendar-event')),
      first_interaction: renderTouch(past[0]),
      last_interaction: renderTouch(past.at(-1)),
      next_interaction: renderTouch(next),
      ...strengthValues(object, computeStrength(past, now)),
    },
    nextAt: nextChanges.length === 0 ? undefined : Math.min(...nextChanges),
  }
}

const compareTouches = (a: Touch, b: Touch): number => a.at - b.at || (a.id < b.id ? -1 : 1)

const renderTouch = (touch: Touch | undefined): Stored | undefined =>
  touch && {
    interaction_type: touch.kind,
    interacted_at: canonicalInstant(timestampFromMicros(touch.at)),
    owner_actor: touch.owner,
  }

function strengthValues({ attributes }: ObjectType, strength: ConnectionStrength | undefined): InteractionValues {
  const option = optionOf(attributes, strength?.title)
  return {
    strongest_connection_strength: option === undefined ? undefined : { option },
    strongest_connection_strength_legacy: strength && { value: strength.legacy },
    strongest_connection_user: strength && { actor: strength.owner },
  }
}

const optionOf = (attributes: readonly Attribute[], title: string | undefined): number | undefined =>
  attributes
    .find(({ api_slug }) => api_slug === 'strongest_connection_strength')
    ?.options.find((option) => option.title === title)?.number
