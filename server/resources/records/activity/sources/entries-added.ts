import type { ListType } from '../../../../data-model/model'
import { microsFromPostgres, timestampFromMicros } from '../../../../timing/clock'
import { itemText } from '../item-text'
import type { ActivityRead, ActivitySource, Item } from '../source'
import { itemsOf } from '../source'
import { ENTRY_SCOPES, entryText, listsWithEntries } from '../visible-lists'
import { listRemovedEntries } from '../removed-entries'

interface EntryRow {
  readonly list: number
  readonly id: string
  readonly created_at: string
  readonly created_by: number
}

/** Entries that the record got in lists, also those that were removed later. */
export const entriesAdded: ActivitySource = {
  type: 'entry.added',
  rank: 3,
  scopes: ENTRY_SCOPES,
  async read(read) {
    const lists = listsWithEntries(read)
    if (lists.length === 0) return []
    const [present, removed] = await Promise.all([
      listEntries(read, lists),
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

async function listEntries({ context, recordId, at, id, limit }: ActivityRead, lists: readonly ListType[]) {
  const selects = lists.map(
    ({ number, table }) => `select ${number} as list, id, created_at, created_by from ${table}
      where parent_record_id = $1 and (created_at, id) < ($2, $3)`,
  )
  const rows = await context.db.sql.unsafe<EntryRow[]>(
    `select * from (${selects.join(' union all ')}) entries order by created_at desc, id desc limit $4`,
    [recordId, timestampFromMicros(at), id, limit],
  )
  const byNumber = new Map(lists.map((list) => [list.number, list]))
  return rows.flatMap((row) => {
    const list = byNumber.get(row.list)
    return list === undefined
      ? []
      : [{ list, id: row.id, at: microsFromPostgres(row.created_at), actor: row.created_by }]
  })
}
