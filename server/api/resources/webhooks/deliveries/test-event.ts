/**
 * Makes test events. They name existing entities of the workspace, and random ids where the workspace has none.
 * See docs/reference/webhooks-and-events.md (Deliveries).
 */

import type { ApiContext } from '#context'
import { hiddenObjectIds } from '#engine/data-model/access/hidden'
import { enabledObjects, listTypes, visibleAttributes } from '#engine/data-model/find'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { ListType, ObjectType, EntityType } from '#engine/data-model/model'
import { findNewestEntities } from '#engine/storage/statements/entity-type-statements'
import { EVENT_KINDS, type ChangeEventBody, type EventType } from '#vocabulary/event-types'

/** Ids of related entities, by their names in events. */
type Ids = Readonly<Record<string, string | null>>

/** Whether a test event may name existing entities of this list; null stands for entities outside of lists. */
export type MayName = (listId: string | null) => boolean

export async function makeTestEvent(
  context: ApiContext,
  eventType: EventType,
  mayName: MayName,
): Promise<ChangeEventBody> {
  const { id, members } = EVENT_KINDS[eventType]
  const all = eventType.startsWith('list')
    ? await idsOfList(context, mayName)
    : await idsOutsideLists(context, eventType, mayName)
  const workspace_id = context.model.workspace.id
  const named = (name: string): string => all[name] ?? crypto.randomUUID()
  return {
    event_type: eventType,
    id: { workspace_id, ...Object.fromEntries(id.map((name) => [name, named(name)])) },
    ...Object.fromEntries(members.map((name) => [name, isOfEntry(name) ? null : named(name)])),
    actor: context.model.actors.get(context.actor) ?? { type: 'system', id: null },
  }
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
    .innerJoin('relata.comments as c', (join) =>
      join.onRef('c.workspace_id', '=', 't.workspace_id').onRef('c.thread_id', '=', 't.id'),
    )
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
  parent_object_id: list.parent_object_id,
  attribute_id: attributeOf(context, list),
})

const attributeOf = ({ model }: ApiContext, entityType: EntityType): string | null =>
  visibleAttributes(model, entityType).find(({ is_writable }) => is_writable)?.id ?? null
