import { visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { type Change, readChanges } from '#engine/storage/changes'
import { findEntity } from '#engine/storage/read-entities'
import { changedAttributesText, itemText } from '#api/resources/records/activity/item-text'
import { type ActivitySource, itemsOf } from '#api/resources/records/activity/source'

/** The changes of the record's values: one item for each actor and time, with all attributes that changed. */
export const valuesSource: ActivitySource = {
  type: 'values.changed',
  rank: 2,
  scopes: [],
  async read(read) {
    const { context, object, recordId, at, limit } = read
    const { model, db } = context
    const attributes = attributesWithHistorySource(model, object)
    const entity = await findEntity(db.sql, model, object, recordId)
    if (entity === undefined) return []
    // The previous page may already have some changes of the first time, so one more time is read.
    const changes = await readChanges(db.sql, model, { entities: [entity], attributes, through: at, times: limit + 1 })
    return itemsOf(
      changes.map((change) => ({ at: change.at, id: changeIdSource(change), text: textOf(model, change) })),
      read,
    )
  },
}

/** Unique among the changes of one time. */
export const changeIdSource = ({ entityId, actor }: Change): string =>
  `${entityId} ${String(actor ?? '').padStart(ACTOR_DIGITS, '0')}`
const ACTOR_DIGITS = 10

/** The visible attributes whose values the entity's row and the history have. */
export const attributesWithHistorySource = (model: DataModel, entityType: EntityType): Attribute[] =>
  visibleAttributes(model, entityType).filter(({ stored_in, has_history }) => stored_in === 'columns' && has_history)

const textOf = (model: DataModel, { at, actor, attributes }: Change): string =>
  itemText(model, { type: 'values.changed', at, actor }, { attributes: changedAttributesText(model, attributes) })
