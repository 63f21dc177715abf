import { listMerges } from '#engine/storage/statements/activity-statements'
import { itemText } from '#api/resources/records/activity/item-text'
import { type ActivitySource, itemsOf } from '#api/resources/records/activity/source'

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
