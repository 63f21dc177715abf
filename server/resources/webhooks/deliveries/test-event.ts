/** Events to try a webhook with: of what there is in the workspace, and of made-up ids where there is nothing. Spec: webhooks 8. */

import { isList } from '../../../access/list-access'
import type { Call } from '../../../call'
import { visibleAttributes } from '../../../data-model/find'
import type { ListOwner, ObjectOwner, Owner } from '../../../data-model/model'
import { EVENT_KINDS, type EventBody, type EventType } from '../../../events/event-types'

/** Ids that belong together, by the names they have in events. */
type Ids = Readonly<Record<string, string | null>>

/** Whether events that name this list, or none, may be made of what there is. */
export type IsForTest = (listId: string | null) => boolean

export async function makeTestEvent(call: Call, eventType: EventType, isForTest: IsForTest): Promise<EventBody> {
  const { id, members } = EVENT_KINDS[eventType]
  const all = eventType.startsWith('list') ? await idsOfList(call, isForTest) : await idsOfOthers(call, isForTest)
  const workspace_id = call.model.workspace.id
  const named = (name: string): string => all[name] ?? crypto.randomUUID()
  return {
    event_type: eventType,
    id: { workspace_id, ...Object.fromEntries(id.map((name) => [name, named(name)])) },
    ...Object.fromEntries(members.map((name) => [name, isOfEntry(name) ? null : named(name)])),
    actor: call.model.actors.get(call.actor) ?? { type: 'system', id: null },
  }
}

async function idsOfOthers(call: Call, isForTest: IsForTest): Promise<Ids> {
  return isForTest(null) ? { ...(await idsOfRecord(call)), workspace_member_id: call.memberId ?? null } : {}
}

/** Comments are tried as those on a record, where these are null. */
const isOfEntry = (member: string): boolean => member === 'list_id' || member === 'entry_id'

async function idsOfRecord(call: Call): Promise<Ids> {
  const objects = call.model.owners.filter((owner): owner is ObjectOwner => owner.kind === 'object' && owner.is_enabled)
  for (const object of objects) {
    const record = await newest(call, object)
    if (record !== undefined) return { ...idsIn(object, record.id), attribute_id: attributeOf(call, object) }
  }
  const [object] = objects
  return object === undefined
    ? {}
    : { object_id: object.id, parent_object_id: object.id, attribute_id: attributeOf(call, object) }
}

const idsIn = (object: ObjectOwner, recordId: string): Ids => ({
  object_id: object.id,
  record_id: recordId,
  parent_object_id: object.id,
  parent_record_id: recordId,
  duplicate_object_id: object.id,
})

async function idsOfList(call: Call, isForTest: IsForTest): Promise<Ids> {
  const lists = call.model.owners.filter(isList).filter(({ id }) => isForTest(id))
  for (const list of lists) {
    const entry = await newest(call, list)
    if (entry === undefined) continue
    return { ...idsOf(call, list), entry_id: entry.id, parent_record_id: entry.parent_record_id ?? null }
  }
  const [list] = lists
  return list === undefined ? {} : idsOf(call, list)
}

const idsOf = (call: Call, list: ListOwner): Ids => ({
  list_id: list.id,
  parent_object_id: list.parent_object_id,
  attribute_id: attributeOf(call, list),
})

const attributeOf = ({ model }: Call, owner: Owner): string | null =>
  visibleAttributes(model, owner).find(({ is_writable }) => is_writable)?.id ?? null

async function newest(call: Call, owner: Owner): Promise<{ id: string; parent_record_id?: string } | undefined> {
  const columns = owner.kind === 'list' ? 'id, parent_record_id' : 'id'
  const query = `select ${columns} from ${owner.table} order by created_at desc, id desc limit 1`
  const [row] = await call.db.sql.unsafe<{ id: string; parent_record_id?: string }[]>(query)
  return row
}
