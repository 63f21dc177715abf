import type { ListType } from '#engine/data-model/model'
import { listEntriesBefore } from '#engine/storage/statements/activity-statements'
import { itemText } from '#api/resources/records/activity/item-text'
import { type ActivitySource, type Item, itemsOf } from '#api/resources/records/activity/source'
import { ENTRY_SCOPES, entryText, visibleListsOf } from '#api/resources/records/activity/visible-lists'
import { listRemovedEntries } from '#api/resources/records/activity/list-removed-entries'

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
