/** Sends deliveries again, and sends test events. See docs/reference/webhooks-and-events.md (Deliveries). */

import { readId } from '#base/errors/http'
import { eventsVisibleTo, listAccess, maySee } from '#access/list-access/list-access'
import { isUuid } from '#vocabulary/uuids'
import type { ApiContext } from '#context'
import { hiddenObjectIds, isHiddenEvent } from '#engine/data-model/access/hidden'
import { modelOfViewer } from '#engine/data-model/access/member-model'
import type { Viewer } from '#engine/data-model/viewer'
import { recordIdOfEvent } from '#events/webhooks/match/match-events'
import { envelope } from '#events/webhooks/match/render-event'
import {
  findWebhookAccess,
  type WebhookAccess,
  includesValues,
  type Subscription,
  withValues,
} from '#events/webhooks/match/webhook-access'
import { deliveryNotFound, deliveryWithheld, webhookNotFound } from '#base/errors/webhooks'
import { type ChangeEventBody, EVENT_KINDS, type EventType } from '#vocabulary/event-types'
import { newId } from '#base/ids'
import { listIdOf, scopesToRead } from '#events/feed/visibility'
import { scopesRequired } from '#base/errors/access'
import { getSendingWebhookRow } from '#api/resources/webhooks/webhooks'
import type { Delivery, ReplayInput, TestInput } from './schemas'
import {
  findDeliveries,
  getMadeTest,
  insertTestDelivery,
  mayGetEvent,
  redeliverRows,
  type RedeliverySelection,
  type WebhookWithAccess,
} from './store'
import { activityTypes, enabledObjects, entityTypeOf, listTypes, visibleAttributes } from '#engine/data-model/find'
import { readActive } from '#engine/storage/history'
import { compileValues } from '#engine/entities/read/render'
import { controlQueriesIn, onEqual } from '#engine/data-model/kysely-in-transaction'
import type { EntityType, ListType, ObjectType } from '#engine/data-model/model'
import { findNewestEntities } from '#engine/storage/statements/entity-type-statements'

const ALL: RedeliverySelection = { id: null, from: null, to: null, statuses: [] }

/**
 * Sends the same body with the same key now, also when the delivery is still pending. Throws 404, and 403 when the caller
 * is a client and the webhook is not its own, or when the webhook may not get the event any more.
 */
export async function redeliver(context: ApiContext, webhookId: string, deliveryId: string): Promise<Delivery> {
  const webhook = await getSendingWebhookRow(context, webhookId)
  const id = readId('Delivery', deliveryId)
  const withAccess = await accessNow(context, webhook.id)
  const found = await findDelivery(context, webhook.id, id)
  if (found === undefined) throw deliveryNotFound(deliveryId)
  if (!(await mayGetEvent(context, withAccess, id))) throw deliveryWithheld()
  await redeliverRows(context, withAccess, { ...ALL, id, statuses: ['succeeded', 'failed', 'dropped', 'waiting'] })
  return (await findDelivery(context, webhook.id, id)) ?? found
}

async function findDelivery(context: ApiContext, webhookId: string, id: string): Promise<Delivery | undefined> {
  return (await findDeliveries(context, webhookId, [id]))[0]?.delivery
}

/** Sends the deliveries of a period again whose events both the caller and the webhook may see. Returns their number. Throws 404. */
export async function replay(context: ApiContext, webhookId: string, input: ReplayInput): Promise<number> {
  const webhook = await getSendingWebhookRow(context, webhookId)
  const { from, to = null, status = 'failed' } = input
  const statuses = status === 'any' ? (['succeeded', 'failed', 'dropped'] as const) : (['failed', 'dropped'] as const)
  return redeliverRows(context, await accessNow(context, webhook.id), { ...ALL, from, to, statuses })
}

async function accessNow(context: ApiContext, id: string): Promise<WebhookWithAccess> {
  const { viewers } = await getAccess(context, id)
  return { id, visible: viewers.map((viewer) => eventsVisibleTo(viewer, modelOfViewer(context.model, viewer))) }
}

/** Throws 404 when the webhook was deleted meanwhile. */
async function getAccess(context: ApiContext, webhookId: string): Promise<WebhookAccess> {
  const access = await findWebhookAccess(context.db.sql, context.model.workspace.id, webhookId)
  if (access === undefined) throw webhookNotFound(webhookId)
  return access
}

/** Sends a test event of any type, also without a subscription to it. Throws 404, and 403 when the caller may not read such events. */
export async function sendTest(
  context: ApiContext,
  webhookId: string,
  { event_type, event }: TestInput,
): Promise<Delivery> {
  const webhook = await getSendingWebhookRow(context, webhookId)
  refuseUnreadable(context, event_type)
  const access = await getAccess(context, webhook.id)
  const testEvent =
    event === undefined
      ? await generatedEvent(context, access, event_type)
      : eventOfCaller(context, { ...event, event_type })
  const { text, ...names } = testEvent
  const id = newId()
  const body = envelope(webhook.id, text)
  await insertTestDelivery(context, webhook.id, { id, event_type, ...names, body, rights: access.rights })
  return getMadeTest(context, webhook.id, id)
}

/** A test event requires the scopes that its event type requires in the feed. */
function refuseUnreadable(context: ApiContext, event_type: EventType): void {
  if (maySee(context, { event_type, listId: null })) return
  throw scopesRequired(scopesToRead(event_type))
}

interface TestEvent {
  readonly text: string
  readonly record_id: string | null
  readonly list_id: string | null
}

/** Makes an event that names only what both the caller and the webhook may see. */
async function generatedEvent(
  context: ApiContext,
  { viewers, subscriptions }: WebhookAccess,
  event_type: EventType,
): Promise<TestEvent> {
  const isVisibleToBoth = (listId: string | null): boolean => {
    const subject = { event_type, listId }
    return maySee(context, subject) && viewers.some((viewer) => maySee(context, subject, viewer))
  }
  const isHiddenFrom = (viewer: Viewer, text: string) => isHiddenEvent(modelOfViewer(context.model, viewer), text)
  const make = async (mayName: MayName) => {
    const event = await makeTestEvent(context, event_type, mayName)
    return { event, text: await testText(context, subscriptions, event) }
  }
  const made = await make(isVisibleToBoth)
  const isHidden = isHiddenEvent(context.model, made.text) || viewers.every((viewer) => isHiddenFrom(viewer, made.text))
  const { event, text } = isHidden ? await make(() => false) : made
  return { text, record_id: recordIdOfEvent(event), list_id: visibleListId(context, event) }
}

function eventOfCaller(context: ApiContext, event: Readonly<Record<string, unknown>>): TestEvent {
  const hasId = typeof event.id === 'object' && event.id !== null
  if (!hasId) return { text: JSON.stringify(event), record_id: null, list_id: null }
  const body = event as unknown as ChangeEventBody // only its ids are read, and `id` is an object
  const record_id: unknown = recordIdOfEvent(body)
  return {
    text: JSON.stringify(event),
    record_id: typeof record_id === 'string' && isUuid(record_id) ? record_id : null,
    list_id: visibleListId(context, body),
  }
}

/** The list that an event names, if the caller sees the list. Other ids do not restrict who sees the delivery. */
function visibleListId(context: ApiContext, body: ChangeEventBody): string | null {
  const listId = listIdOf(body)
  const entityType = context.model.entityTypesById.get(listId ?? '')
  return entityType?.kind === 'list' && listAccess(context, entityType) !== undefined ? listId : null
}

// Adds the current values of the attribute to test events, as new values.
// See docs/reference/webhooks-and-events.md (Deliveries, Values in events).

/** The JSON text of an event, with values when a subscription to its type includes them. */
async function testText(
  context: ApiContext,
  subscriptions: readonly Subscription[],
  event: ChangeEventBody,
): Promise<string> {
  const text = JSON.stringify(event)
  const hasInclude = subscriptions.some((each) => each.event_type === event.event_type && includesValues(each))
  if (!hasInclude) return text
  const values = await activeValues(context, event.id)
  return withValues(text, values === undefined ? undefined : { previous: '[]', new: values })
}

/** Undefined when the entity does not exist, and for entries of private lists. */
async function activeValues({ model, db }: ApiContext, id: ChangeEventBody['id']): Promise<string | undefined> {
  const attribute = model.attributesById.get(id.attribute_id ?? '')
  const entityId = id.record_id ?? id.entry_id
  if (attribute === undefined || entityId === undefined) return undefined
  const entityType = entityTypeOf(model, attribute)
  if (entityType.kind === 'list' && entityType.workspace_access === null) return undefined
  const versions = await readActive(db.sql, model, entityType, attribute, entityId)
  return versions && compileValues(attribute, model)(versions)
}

// Makes test events. They name existing entities of the workspace, and random ids where the workspace has none.
// See docs/reference/webhooks-and-events.md (Deliveries).

/** Ids of related entities, by their names in events. */
type Ids = Readonly<Record<string, string | null>>

/** Whether a test event may name existing entities of this list; null stands for entities outside of lists. */
type MayName = (listId: string | null) => boolean

async function makeTestEvent(context: ApiContext, eventType: EventType, mayName: MayName): Promise<ChangeEventBody> {
  const { id, members } = EVENT_KINDS[eventType]
  const all = await idsFor(context, eventType, mayName)
  const workspace_id = context.model.workspace.id
  const named = (name: string): string => all[name] ?? crypto.randomUUID()
  return {
    event_type: eventType,
    id: { workspace_id, ...Object.fromEntries(id.map((name) => [name, named(name)])) },
    ...Object.fromEntries(members.map((name) => [name, isOfEntry(name) ? null : named(name)])),
    actor: context.model.actors.get(context.actor) ?? { type: 'system', id: null },
  }
}

function idsFor(context: ApiContext, eventType: EventType, mayName: MayName): Promise<Ids> {
  if (eventType.startsWith('list')) return idsOfList(context, mayName)
  if (eventType.startsWith('activity')) return idsOfActivity(context, mayName)
  return idsOutsideLists(context, eventType, mayName)
}

/** The first activity, and its newest record. */
async function idsOfActivity(context: ApiContext, mayName: MayName): Promise<Ids> {
  const [activity] = activityTypes(context.model)
  if (activity === undefined || !mayName(null)) return {}
  const record = await findNewestEntities(context.db.sql, activity)
  return { activity_id: activity.id, record_id: record?.id ?? null, attribute_id: attributeOf(context, activity) }
}

async function idsOutsideLists(context: ApiContext, eventType: EventType, mayName: MayName): Promise<Ids> {
  if (!mayName(null)) return {}
  const ofTask = await idsOfTask(context)
  const ofNote = eventType.startsWith('note') ? await idsOfNote(context) : {}
  const ofComment = eventType.startsWith('comment') ? await idsOfComment(context) : {}
  const ofRecording = eventType.startsWith('call-recording') ? await idsOfCallRecording(context) : {}
  const ofMember = { workspace_member_id: context.memberId ?? null }
  return { ...(await idsOfRecord(context)), ...ofTask, ...ofNote, ...ofComment, ...ofRecording, ...ofMember }
}

async function idsOfNote({ db, model }: ApiContext): Promise<Ids> {
  const hidden = hiddenObjectIds(model)
  const note = await db.control
    .selectFrom('relata.notes')
    .select(['id as note_id', 'parent_object_id', 'parent_record_id'])
    .where('workspace_id', '=', model.workspace.id)
    .$if(hidden.length > 0, (query) => query.where('parent_object_id', 'not in', hidden))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { ...note }
}

async function idsOfCallRecording({ db, model }: ApiContext): Promise<Ids> {
  const recording = await controlQueriesIn(db.sql)
    .selectFrom('relata.call_recordings')
    .select(['id as call_recording_id', 'meeting_id'])
    .where('workspace_id', '=', model.workspace.id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { ...recording }
}

/** The task that was completed last, else the newest one. */
async function idsOfTask({ db, model }: ApiContext): Promise<Ids> {
  const task = await controlQueriesIn(db.sql)
    .selectFrom('relata.tasks')
    .select('id')
    .where('workspace_id', '=', model.workspace.id)
    .orderBy('completed_at', (order) => order.desc().nullsLast())
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { task_id: task?.id ?? null }
}

/** The newest comment on a record, with its record. */
async function idsOfComment({ db, model }: ApiContext): Promise<Ids> {
  const hidden = hiddenObjectIds(model)
  const comment = await controlQueriesIn(db.sql)
    .selectFrom('relata.threads as t')
    .innerJoin('relata.comments as c', onEqual({ 'c.workspace_id': 't.workspace_id', 'c.thread_id': 't.id' }))
    .select(['c.id as comment_id', 't.id as thread_id', 't.object_id', 't.record_id'])
    .where('t.workspace_id', '=', model.workspace.id)
    .where('t.entry_id', 'is', null)
    .$if(hidden.length > 0, (query) => query.where('t.object_id', 'not in', hidden))
    .orderBy('c.id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { ...comment }
}

/** Test events of comments are about comments on a record, where these members are null. */
const isOfEntry = (member: string): boolean => member === 'list_id' || member === 'entry_id'

async function idsOfRecord(context: ApiContext): Promise<Ids> {
  const objects = enabledObjects(context.model)
  for (const object of objects) {
    const record = await findNewestEntities(context.db.sql, object)
    if (record !== undefined) return { ...idsIn(object, record.id), attribute_id: attributeOf(context, object) }
  }
  const [object] = objects
  return object === undefined
    ? {}
    : { object_id: object.id, parent_object_id: object.id, attribute_id: attributeOf(context, object) }
}

const idsIn = (object: ObjectType, recordId: string): Ids => ({
  object_id: object.id,
  record_id: recordId,
  parent_object_id: object.id,
  parent_record_id: recordId,
  duplicate_object_id: object.id,
})

async function idsOfList(context: ApiContext, mayName: MayName): Promise<Ids> {
  const lists = listTypes(context.model).filter(({ id }) => mayName(id))
  for (const list of lists) {
    const entry = await findNewestEntities(context.db.sql, list)
    if (entry === undefined) continue
    return { ...idsOf(context, list), entry_id: entry.id, parent_record_id: entry.parent_record_id ?? null }
  }
  const [list] = lists
  return list === undefined ? {} : idsOf(context, list)
}

const idsOf = (context: ApiContext, list: ListType): Ids => ({
  list_id: list.id,
  parent_object_id: list.parentObjects[0]?.id ?? null,
  attribute_id: attributeOf(context, list),
})

const attributeOf = ({ model }: ApiContext, entityType: EntityType): string | null =>
  visibleAttributes(model, entityType).find(({ is_writable }) => is_writable)?.id ?? null
