import { attributeType } from '#engine/attribute-types/registry'
import { findEntriesFor } from '#engine/storage/read-entities'
import { type Change, readChanges } from '#engine/storage/changes'
import type { DataModel, ListType } from '#engine/data-model/model'
import { changedAttributesText, itemText } from '#api/resources/records/activity/item-text'
import { type ActivityRead, type ActivitySource, type Item, itemsOf } from '#api/resources/records/activity/source'
import { ENTRY_SCOPES, entryText, visibleListsOf } from '#api/resources/records/activity/visible-lists'
import { attributesWithHistorySource, changeIdSource } from './values'

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
  const attributes = attributesWithHistorySource(model, list).filter(
    ({ type }) => attributeType(type).optionKind === 'status',
  )
  if (attributes.length === 0) return []
  const entities = await findEntriesFor(db.sql, model, list, recordId)
  const changes = await readChanges(db.sql, model, { entities, attributes, through: at, times: limit + 1 })
  return changes.map((change) => ({ at: change.at, id: changeIdSource(change), text: textOf(model, list, change) }))
}

const textOf = (model: DataModel, list: ListType, { entityId, at, actor, attributes }: Change): string =>
  itemText(
    model,
    { type: 'entry.moved', at, actor },
    { entry: entryText(list, entityId), attributes: changedAttributesText(model, attributes) },
  )
