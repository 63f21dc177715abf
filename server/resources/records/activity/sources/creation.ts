import { findCreation } from '../../../../storage/statements/activity-statements'
import { itemText } from '../item-text'
import { type ActivitySource, itemsOf } from '../source'

/** The creation of the record. A merged record has the creation of its older original. */
export const creation: ActivitySource = {
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
