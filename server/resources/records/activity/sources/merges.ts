import { microsFromPostgres } from '../../../../timing/clock'
import { itemText } from '../item-text'
import { type ActivitySource, itemsOf } from '../source'

interface MergeRow {
  readonly merged_at: string
  readonly merged_by: number | null
  readonly ids: readonly string[]
}

/** The merges that made the record: its own, and those of records that were merged into it. */
export const merges: ActivitySource = {
  type: 'record.merged',
  rank: 1,
  scopes: [],
  async read(read) {
    const { context, recordId } = read
    const rows = await context.db.sql.unsafe<MergeRow[]>(
      `select merged_at, merged_by, array_agg(old_id order by old_id) as ids from ${context.model.schema}.merges
       where new_id = $1 group by merged_at, merged_by`,
      [recordId],
      { prepare: true },
    )
    const items = rows.map(({ merged_at, merged_by, ids }) => {
      const at = microsFromPostgres(merged_at)
      const head = { type: 'record.merged', at, actor: merged_by } as const
      return { at, id: ids[0] ?? '', text: itemText(context.model, head, { merged_record_ids: JSON.stringify(ids) }) }
    })
    return itemsOf(items, read)
  },
}
