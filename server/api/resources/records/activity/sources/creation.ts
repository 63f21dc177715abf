import { findCreation } from '#engine/storage/statements/activity-statements'
import { itemText } from '#api/resources/records/activity/item-text'
import { type ActivitySource, itemsOf } from '#api/resources/records/activity/source'

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
