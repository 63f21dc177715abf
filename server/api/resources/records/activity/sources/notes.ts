import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { microsFromPostgres, timestampFromMicros } from '#base/timing/clock'
import { itemText } from '#api/resources/records/activity/item-text'
import type { ActivitySource } from '#api/resources/records/activity/source'

/** Notes about the record. */
export const notesSource: ActivitySource = {
  type: 'note.created',
  rank: 8,
  scopes: ['note:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const rows = await controlQueriesIn(context.db.sql)
      .selectFrom('relata.notes')
      .select(['id', 'title', 'created_at', 'created_by'])
      .where('workspace_id', '=', context.model.workspace.id)
      .where('parent_object_id', '=', object.id)
      .where('parent_record_id', '=', recordId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(timestampFromMicros(at), id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute()
    return rows.map((row) => {
      const head = { type: 'note.created', at: microsFromPostgres(row.created_at), actor: row.created_by } as const
      const note = JSON.stringify({ note_id: row.id, title: row.title })
      return { at: head.at, id: row.id, text: itemText(context.model, head, { note }) }
    })
  },
}
