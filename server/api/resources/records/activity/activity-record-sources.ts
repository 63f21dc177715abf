/** Sources of the activity. The records of activities, such as phone calls, that refer to the record. */

import { activityTypes, allowsObject, visibleAttributes } from '#engine/data-model/find'
import type { ActivityType, DataModel, ObjectType } from '#engine/data-model/model'
import { shownLabelSql } from '#engine/query/compile/label'
import { attributeType } from '#engine/attribute-types/registry'
import { readChanges } from '#engine/storage/changes'
import { findEntities } from '#engine/storage/read-entities'
import {
  findChangedActivityRecords,
  listActivityRecordsBefore,
  type ReferringActivity,
} from '#engine/storage/statements/activity-statements'
import { ACTIVITY_RECORD_SCOPES } from '#vocabulary/scopes'
import { attributesWithHistorySource, changeIdSource } from './record-sources'
import { type ActivityRead, type ActivitySource, changedAttributesText, type Item, itemsOf, itemText } from './source'

/** Of one activity, the changes of this many records are shown, of those that changed last. */
const MAX_CHANGED = 1_000

/** The activities with attributes that the caller sees and that may refer to records of the object. */
const activitiesReferringTo = (model: DataModel, object: ObjectType): ReferringActivity[] =>
  activityTypes(model).flatMap((activity) => {
    const references = visibleAttributes(model, activity).filter(
      (attribute) => attributeType(attribute.type).refersToRecords === true && allowsObject(attribute, object),
    )
    return references.length === 0 ? [] : [{ activity, references, label: shownLabelSql(activity, 'h') }]
  })

/** JSON text of a record of an activity. */
const recordText = ({ id, api_slug, singular_noun }: ActivityType, recordId: string, label: string | null): string =>
  JSON.stringify({ activity_id: id, api_slug, singular_noun, record_id: recordId, record_text: label })

/** Records of activities that refer to the record. The time is that of their creation. */
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
  const attributes = attributesWithHistorySource(model, activity)
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
    return { at: change.at, id: changeIdSource(change), text: itemText(model, head, members) }
  })
}
