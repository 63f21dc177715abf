import { itemText } from '#api/resources/records/activity/item-text'
import { listRemovedEntries } from '#api/resources/records/activity/list-removed-entries'
import type { ActivitySource } from '#api/resources/records/activity/source'
import { ENTRY_SCOPES, entryText, visibleListsOf } from '#api/resources/records/activity/visible-lists'

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
