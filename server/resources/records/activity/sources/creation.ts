import { microsFromPostgres } from '../../../../timing/clock'
import { itemText } from '../item-text'
import { type ActivitySource, itemsOf } from '../source'

/** The creation of the record. A merged record has the creation of its older original. */
export const creation: ActivitySource = {
  type: 'record.created',
  rank: 0,
  scopes: [],
  async read(read) {
    const { context, object, recordId } = read
    const query = `select created_at, created_by from ${object.table} where id = $1`
    const rows = await context.db.sql.unsafe<{ created_at: string; created_by: number }[]>(query, [recordId], {
      prepare: true,
    })
    const items = rows.map(({ created_at, created_by }) => {
      const at = microsFromPostgres(created_at)
      return { at, id: recordId, text: itemText(context.model, { type: 'record.created', at, actor: created_by }) }
    })
    return itemsOf(items, read)
  },
}
