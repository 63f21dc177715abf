import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { microsFromPostgres, timestampFromMicros, timestampFromPostgres } from '#base/timing/clock'
import { itemText } from '#api/resources/records/activity/item-text'
import type { ActivitySource } from '#api/resources/records/activity/source'

/** Meetings that were linked to the record and still are. */
export const meetingsSource: ActivitySource = {
  type: 'meeting.linked',
  rank: 10,
  scopes: ['meeting:read'],
  async read({ context, object, recordId, at, id, limit }) {
    const rows = await controlQueriesIn(context.db.sql)
      .with('page', (query) =>
        query
          .selectFrom('relata.meeting_links')
          .select(['workspace_id', 'meeting_id', 'linked_at', 'linked_by', 'starts_at', 'is_all_day'])
          .where('workspace_id', '=', context.model.workspace.id)
          .where('object_id', '=', object.id)
          .where('record_id', '=', recordId)
          .where(({ eb, refTuple, tuple }) =>
            eb(refTuple('linked_at', 'meeting_id'), '<', tuple(timestampFromMicros(at), id)),
          )
          .orderBy('linked_at', 'desc')
          .orderBy('meeting_id', 'desc')
          .limit(limit),
      )
      .selectFrom('page')
      .innerJoin('relata.meetings as m', (join) =>
        join.onRef('m.workspace_id', '=', 'page.workspace_id').onRef('m.id', '=', 'page.meeting_id'),
      )
      .select(['page.meeting_id', 'page.linked_at', 'page.linked_by', 'page.starts_at', 'page.is_all_day', 'm.title'])
      .orderBy('page.linked_at', 'desc')
      .orderBy('page.meeting_id', 'desc')
      .execute()
    return rows.map((row) => {
      const head = { type: 'meeting.linked', at: microsFromPostgres(row.linked_at), actor: row.linked_by } as const
      const { meeting_id, title, starts_at, is_all_day } = row
      const meeting = JSON.stringify({ meeting_id, title, starts_at: timestampFromPostgres(starts_at), is_all_day })
      return { at: head.at, id: meeting_id, text: itemText(context.model, head, { meeting }) }
    })
  },
}
