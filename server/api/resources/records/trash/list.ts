/** Lists the records of an object in the trash. See docs/reference/trash.md. */

import { getActor } from '#engine/attribute-types/actor-reference'
import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { shownLabelSql } from '#engine/query/compile/label'
import { cursorsFor } from '#engine/query/run/cursor'
import { listTrash, type TrashRow } from '#engine/storage/trash/list-trash'
import { timestampFromPostgres } from '#base/timing/clock'
import type { TrashAnswer, TrashedRecordOutput, TrashQuery } from './schemas'

/** The newest deletion first. Throws 404 for the object, 400 for a cursor of another list. */
export const listTrashedRecords = (context: ApiContext, slugOrId: string, query: TrashQuery): Promise<TrashAnswer> =>
  retryOnConflict(context, async (context) => {
    const { limit = 50, cursor } = query
    const object = getObject(context.model, slugOrId)
    const cursors = await cursorsFor(context, { id: `trash ${object.id}` }, query)
    const rows = await listTrash(context.db, context.model, object, {
      label: shownLabelSql(object, 'h'),
      now: context.now(),
      after: cursor === undefined ? undefined : cursors.decode(cursor),
      limit: limit + 1,
    })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = last !== undefined && rows.length > limit ? cursors.encode([last.deleted_at, last.id]) : null
    return { data: page.map((row) => renderRow(context, object, row)), pagination: { next_cursor: next } }
  })

function renderRow({ model }: ApiContext, object: ObjectType, row: TrashRow): TrashedRecordOutput {
  const { type, id } = getActor(model, row.deleted_by)
  return {
    id: { workspace_id: model.workspace.id, object_id: object.id, record_id: row.id },
    record_text: row.label ?? row.id,
    deleted_at: timestampFromPostgres(row.deleted_at),
    deleted_by_actor: { type, id },
    expires_at: timestampFromPostgres(row.expires_at),
    ...(row.merged_into !== null && { merged_into: row.merged_into }),
  }
}
