/** Sources of the activity. The record itself: its creation, its merges and the changes of its values. */

import {
  findCreation,
  listMerges,
  findChangedActivityRecords,
  listActivityRecordsBefore,
  type ReferringActivity,
  listEntriesBefore,
} from '#engine/storage/statements/activity-statements'
import { type ActivitySource, changedAttributesText, itemsOf, itemText, type ActivityRead, type Item } from './source'
import { visibleAttributes, activityTypes, allowsObject } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType, ActivityType, ObjectType, ListType } from '#engine/data-model/model'
import { type Change, readChanges } from '#engine/storage/changes'
import { findEntity, findEntities, findEntriesFor, listsOf } from '#engine/storage/read-entities'
import { shownLabelSql, timeSql } from '#engine/query/compile/label'
import { attributeType } from '#engine/attribute-types/registry'
import { ACTIVITY_RECORD_SCOPES, type Scope } from '#vocabulary/scopes'
import { visibleLists } from '#access/list-access/list-access'
import { sql } from 'kysely'
import { renderArray } from '#db/connect'
import type { EntryWrite } from '#engine/attachments/attachments'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'

/** The creation of the record. A merged record has the creation of its older original. */
export const creationSource: ActivitySource = {
  type: 'record.created',
  rank: 0,
  scopes: [],
  async read(read) {
    const { context, object, recordId } = read
    const created = await findCreation(context.db.sql, object, recordId)
    if (created === undefined) return []
    const { at, actor } = created
    const text = itemText(context.model, { type: 'record.created', at, actor })
    return itemsOf([{ at, id: recordId, text }], read)
  },
}

/** The merges that made the record: its own, and those of records that were merged into it. */
export const mergesSource: ActivitySource = {
  type: 'record.merged',
  rank: 1,
  scopes: [],
  async read(read) {
    const { context, recordId } = read
    const found = await listMerges(context.db.sql, context.model, recordId)
    const items = found.map(({ at, actor, ids }) => {
      const text = itemText(
        context.model,
        { type: 'record.merged', at, actor },
        { merged_record_ids: JSON.stringify(ids) },
      )
      return { at, id: ids[0] ?? '', text }
    })
    return itemsOf(items, read)
  },
}

/** The changes of the record's values: one item for each actor and time, with all attributes that changed. */
export const valuesSource: ActivitySource = {
  type: 'values.changed',
  rank: 2,
  scopes: [],
  async read(read) {
    const { context, object, recordId, at, limit } = read
    const { model, db } = context
    const attributes = attributesWithHistory(model, object)
    const entity = await findEntity(db.sql, model, object, recordId, attributes)
    if (entity === undefined) return []
    // The previous page may already have some changes of the first time, so one more time is read.
    const changes = await readChanges(db.sql, model, { entities: [entity], attributes, through: at, times: limit + 1 })
    return itemsOf(
      changes.map((change) => ({ at: change.at, id: changeIdOf(change), text: changeText(model, change) })),
      read,
    )
  },
}

/** Unique among the changes of one time. */
const changeIdOf = ({ entityId, actor }: Change): string =>
  `${entityId} ${String(actor ?? '').padStart(ACTOR_DIGITS, '0')}`
const ACTOR_DIGITS = 10

/** The visible attributes whose values the entity's row and the history have. */
const attributesWithHistory = (model: DataModel, entityType: EntityType): Attribute[] =>
  visibleAttributes(model, entityType).filter(
    ({ stored_in, has_history }) => ['columns', 'formula', 'worker'].includes(stored_in) && has_history,
  )

const changeText = (model: DataModel, { at, actor, attributes }: Change): string =>
  itemText(model, { type: 'values.changed', at, actor }, { attributes: changedAttributesText(model, attributes) })

// Sources of the activity. The records of activities, such as phone calls, that refer to the record.

/** Of one activity, the changes of this many records are shown, of those that changed last. */
const MAX_CHANGED = 1_000

/** The time of a record is that of its attribute `timestamp`, and without a value that of its creation. */
const sqlOf = (activity: ActivityType) => ({
  label: shownLabelSql(activity, 'h'),
  time: `coalesce(${timeSql(activity, 'h')}, h.created_at)`,
})

/** The activities with attributes that the caller sees and that may refer to records of the object. */
const activitiesReferringTo = (model: DataModel, object: ObjectType): ReferringActivity[] =>
  activityTypes(model).flatMap((activity) => {
    const references = visibleAttributes(model, activity).filter(
      (attribute) => attributeType(attribute.type).refersToRecords === true && allowsObject(attribute, object),
    )
    return references.length === 0 ? [] : [{ activity, references, ...sqlOf(activity) }]
  })

/** JSON text of a record of an activity. */
const recordText = ({ id, api_slug, singular_noun }: ActivityType, recordId: string, label: string | null): string =>
  JSON.stringify({ activity_id: id, api_slug, singular_noun, record_id: recordId, record_text: label })

/** Records of activities that refer to the record, at their time. */
export const activitiesAddedSource: ActivitySource = {
  type: 'activity.added',
  rank: 13,
  scopes: ACTIVITY_RECORD_SCOPES.read,
  async read(read) {
    const { context, object, recordId } = read
    const { model, db } = context
    const activities = activitiesReferringTo(model, object)
    if (activities.length === 0) return []
    const found = await listActivityRecordsBefore(db.sql, model, activities, recordId, read)
    return found.map(({ activity, id, label, at, actor }) => {
      const members = { activity: recordText(activity, id, label) }
      return { at, id, text: itemText(model, { type: 'activity.added', at, actor }, members) }
    })
  },
}

/** Changes of the values of these records. */
export const activitiesChangedSource: ActivitySource = {
  type: 'activity.changed',
  rank: 14,
  scopes: ACTIVITY_RECORD_SCOPES.read,
  async read(read) {
    const activities = activitiesReferringTo(read.context.model, read.object)
    const items = await Promise.all(activities.map((each) => readChangesOf(read, each)))
    return itemsOf(items.flat(), read)
  },
}

async function readChangesOf(
  { context, recordId, at, limit }: ActivityRead,
  referring: ReferringActivity,
): Promise<Item[]> {
  const { model, db } = context
  const { activity } = referring
  const attributes = attributesWithHistory(model, activity)
  const labels = await findChangedActivityRecords(db.sql, model, referring, recordId, MAX_CHANGED)
  const found = await findEntities(db.sql, model, activity, [...labels.keys()], attributes)
  const read = { entities: [...found.values()], attributes, through: at, times: limit + 1 }
  const changes = await readChanges(db.sql, model, read)
  return changes.map((change) => {
    const members = {
      activity: recordText(activity, change.entityId, labels.get(change.entityId) ?? null),
      attributes: changedAttributesText(model, change.attributes),
    }
    const head = { type: 'activity.changed', at: change.at, actor: change.actor } as const
    return { at: change.at, id: changeIdOf(change), text: itemText(model, head, members) }
  })
}

// Sources of the activity. The entries of a record in the lists that the caller sees.

export const ENTRY_SCOPES: readonly Scope[] = ['list_entry:read', 'list_configuration:read']

export function visibleListsOf({ context, object }: Pick<ActivityRead, 'context' | 'object'>): ListType[] {
  const visible = new Set(visibleLists(context))
  return listsOf(context.model, object).filter((list) => visible.has(list))
}

/** JSON text of an entry. */
const entryText = (list: ListType, entryId: string): string =>
  JSON.stringify({ list_id: list.id, list_api_slug: list.api_slug, entry_id: entryId })

/** An entry that was removed from its list. */
interface RemovedEntry {
  readonly id: string
  readonly list: ListType
  readonly created: EntryWrite
  readonly removed: EntryWrite
}

/** Of the given lists, newest first by when the entry was created or removed. */
async function listRemovedEntries(
  { context, recordId, at, id, limit }: ActivityRead,
  lists: readonly ListType[],
  time: 'created_at' | 'removed_at',
): Promise<RemovedEntry[]> {
  const byId = new Map(lists.map((list) => [list.id, list]))
  const rows = await controlQueriesIn(context.db.sql)
    .selectFrom('relata.removed_entries')
    .select(['entry_id', 'list_id', 'created_at', 'created_by', 'removed_at', 'removed_by'])
    .where(equal({ workspace_id: context.model.workspace.id, record_id: recordId }))
    .where(sql<boolean>`list_id = any(${renderArray([...byId.keys()])}::uuid[])`)
    .where(({ eb, refTuple, tuple }) => eb(refTuple(time, 'entry_id'), '<', tuple(timestampFromMicros(at), id)))
    .orderBy(time, 'desc')
    .orderBy('entry_id', 'desc')
    .limit(limit)
    .execute()
  return rows.flatMap((row) => {
    const list = byId.get(row.list_id)
    const created = { at: microsFromPostgres(row.created_at), actor: row.created_by }
    const removed = { at: microsFromPostgres(row.removed_at), actor: row.removed_by }
    return list === undefined ? [] : [{ id: row.entry_id, list, created, removed }]
  })
}

/** Entries that the record got in lists, also those that were removed later. */
export const entriesAddedSource: ActivitySource = {
  type: 'entry.added',
  rank: 3,
  scopes: ENTRY_SCOPES,
  async read(read) {
    const lists = visibleListsOf(read)
    if (lists.length === 0) return []
    const [present, removed] = await Promise.all([
      listEntriesBefore(read.context.db.sql, lists, read.recordId, read),
      listRemovedEntries(read, lists, 'created_at'),
    ])
    const itemOf = (list: ListType, id: string, at: number, actor: number): Item => {
      const head = { type: 'entry.added', at, actor } as const
      return { at, id, text: itemText(read.context.model, head, { entry: entryText(list, id) }) }
    }
    const items = [
      ...present.map(({ list, id, at, actor }) => itemOf(list, id, at, actor)),
      ...removed.map(({ list, id, created }) => itemOf(list, id, created.at, created.actor)),
    ]
    return itemsOf(items, read)
  },
}

/** Changes of the statuses of the record's entries. Deleting the entry deletes them. */
export const entriesMovedSource: ActivitySource = {
  type: 'entry.moved',
  rank: 4,
  scopes: ENTRY_SCOPES,
  async read(read) {
    const items = await Promise.all(visibleListsOf(read).map((list) => readMoves(read, list)))
    return itemsOf(items.flat(), read)
  },
}

async function readMoves({ context, recordId, at, limit }: ActivityRead, list: ListType): Promise<Item[]> {
  const { model, db } = context
  const attributes = attributesWithHistory(model, list).filter(
    ({ type }) => attributeType(type).optionKind === 'status',
  )
  if (attributes.length === 0) return []
  const entities = await findEntriesFor(db.sql, model, list, recordId)
  const changes = await readChanges(db.sql, model, { entities, attributes, through: at, times: limit + 1 })
  return changes.map((change) => ({ at: change.at, id: changeIdOf(change), text: moveText(model, list, change) }))
}

const moveText = (model: DataModel, list: ListType, { entityId, at, actor, attributes }: Change): string =>
  itemText(
    model,
    { type: 'entry.moved', at, actor },
    { entry: entryText(list, entityId), attributes: changedAttributesText(model, attributes) },
  )

/** Entries of the record that were removed from their lists. */
export const entriesRemovedSource: ActivitySource = {
  type: 'entry.removed',
  rank: 5,
  scopes: ENTRY_SCOPES,
  async read(read) {
    const lists = visibleListsOf(read)
    if (lists.length === 0) return []
    const removed = await listRemovedEntries(read, lists, 'removed_at')
    return removed.map(({ id, list, removed: { at, actor } }) => {
      const head = { type: 'entry.removed', at, actor } as const
      return { at, id, text: itemText(read.context.model, head, { entry: entryText(list, id) }) }
    })
  },
}
