/** Sources of the activity. The record itself: its creation, its merges and the changes of its values. */

import { findCreation, listMerges } from '#engine/storage/statements/activity-statements'
import { type ActivitySource, changedAttributesText, itemsOf, itemText } from './source'
import { visibleAttributes } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { type Change, readChanges } from '#engine/storage/changes'
import { findEntity } from '#engine/storage/read-entities'

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
    const attributes = attributesWithHistorySource(model, object)
    const entity = await findEntity(db.sql, model, object, recordId)
    if (entity === undefined) return []
    // The previous page may already have some changes of the first time, so one more time is read.
    const changes = await readChanges(db.sql, model, { entities: [entity], attributes, through: at, times: limit + 1 })
    return itemsOf(
      changes.map((change) => ({ at: change.at, id: changeIdSource(change), text: changeText(model, change) })),
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

const changeText = (model: DataModel, { at, actor, attributes }: Change): string =>
  itemText(model, { type: 'values.changed', at, actor }, { attributes: changedAttributesText(model, attributes) })
