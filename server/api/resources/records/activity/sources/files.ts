import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { itemText } from '#api/resources/records/activity/item-text'
import type { ActivitySource } from '#api/resources/records/activity/source'

/** Files of the record, with connected ones and without folders. */
export const filesSource: ActivitySource = {
  type: 'file.added',
  rank: 11,
  scopes: ['file:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const rows = await controlQueriesIn(context.db.sql)
      .selectFrom('relata.files')
      .select(['id', 'file_type', 'name', 'created_at', 'created_by'])
      .where('workspace_id', '=', context.model.workspace.id)
      .where('record_id', '=', recordId)
      .where('object_id', '=', object.id)
      .where('file_type', 'in', ['file', 'connected-file'])
      .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(timestampFromMicros(at), id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map(({ id, file_type, name, created_at, created_by }) => {
      const head = { type: 'file.added', at: microsFromPostgres(created_at), actor: created_by } as const
      const file = JSON.stringify({ file_id: id, file_type, name })
      return { at: head.at, id, text: itemText(context.model, head, { file }) }
    })
  },
}
