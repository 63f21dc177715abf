/** Lists the records of an object or an activity in the trash, and restores them. See docs/reference/trash.md. */

import { readId } from '#base/errors/http'
import { getActor } from '#engine/attribute-types/actor-reference'
import type { ApiContext } from '#context'
import { entityTypeOf } from '#engine/data-model/find'
import type { RecordType } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { shownLabelSql, timeSql } from '#engine/query/compile/label'
import { cursorsFor } from '#engine/query/run/cursor'
import { listTrash, type TrashRow } from '#engine/storage/trash/list-trash'
import { timestampFromPostgres } from '#base/timing/clock'
import type { EntityPath, EntityResource } from './resource'
import type { TrashedRecordOutput, TrashQuery } from './trash-schemas'
import { listAccess } from '#access/list-access/list-access'
import { restoreRecordEntity } from '#engine/entities/trash/restore-record'
import type { ApiError } from '#base/errors/api-error'
import { recordNotInTrash, restoreConflict } from '#base/errors/records'
import { VersionConflict } from '#engine/storage/preconditions'
import { findTakenKeys, UniqueKeyConflict } from '#engine/storage/unique-keys'
import { type AnsweredEntity, answerEntity } from '#engine/entities/operations/definitions'

interface TrashPage {
  readonly data: readonly TrashedRecordOutput[]
  readonly pagination: { readonly next_cursor: string | null }
}

/** The newest deletion first. Throws 404 for the entity type, 400 for a cursor of another list. */
export const listTrashedRecords = <T extends RecordType>(
  resource: EntityResource<T>,
  context: ApiContext,
  slugOrId: string,
  query: TrashQuery,
): Promise<TrashPage> =>
  retryOnConflict(context, async (context) => {
    const { limit = 50, cursor } = query
    const recordType = resource.findReadable(context, slugOrId)
    const cursors = await cursorsFor(context, { id: `trash ${recordType.id}` }, query)
    const rows = await listTrash(context.db, context.model, recordType, {
      label: shownLabelSql(recordType, 'h'),
      time: timeSql(recordType, 'h'),
      now: context.now(),
      after: cursor === undefined ? undefined : cursors.decode(cursor),
      limit: limit + 1,
    })
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const next = last !== undefined && rows.length > limit ? cursors.encode([last.deleted_at, last.id]) : null
    return { data: page.map((row) => renderRow(resource, context, recordType, row)), pagination: { next_cursor: next } }
  })

function renderRow(
  { idMembers: [typeMember] }: EntityResource,
  { model }: ApiContext,
  recordType: RecordType,
  row: TrashRow,
): TrashedRecordOutput {
  const { type, id } = getActor(model, row.deleted_by)
  return {
    id: { workspace_id: model.workspace.id, [typeMember]: recordType.id, record_id: row.id },
    record_text: row.label ?? row.id,
    deleted_at: timestampFromPostgres(row.deleted_at),
    deleted_by_actor: { type, id },
    expires_at: timestampFromPostgres(row.expires_at),
    ...(row.merged_into !== null && { merged_into: row.merged_into }),
    ...(row.time !== null && { timestamp: timestampFromPostgres(row.time) }),
  }
}

// Restores a record from the trash. See docs/reference/trash.md.

/** Throws 404 for the entity type and for a record that is not in the trash, 409 for a unique value that another entity has. */
export const restoreRecord = <T extends RecordType>(
  resource: EntityResource<T>,
  context: ApiContext,
  { entityType: slugOrId, id: recordId }: EntityPath,
): Promise<AnsweredEntity> =>
  retryOnConflict(context, async (context) => {
    const entityType = resource.find(context, slugOrId)
    const id = readId('Record', recordId)
    const row = await restoreRecordEntity(context, entityType, id).catch(async (error: unknown) => {
      throw await explainFailure(context, error)
    })
    if (!row) throw recordNotInTrash(id)
    return answerEntity(resource, context, entityType, row)
  })

/** PostgreSQL's code for a row that refers to one that does not exist. */
const FOREIGN_KEY_VIOLATION = '23503'

async function explainFailure(context: ApiContext, error: unknown): Promise<unknown> {
  if (error instanceof UniqueKeyConflict) return (await findConflict(context, error)) ?? error
  // What an attachment refers to was deleted meanwhile. The next try leaves it out.
  if (error instanceof Error && 'code' in error && error.code === FOREIGN_KEY_VIOLATION) return new VersionConflict()
  return error
}

/** The error for the first key that another entity has; undefined if none has one any more. */
async function findConflict(context: ApiContext, { keys }: UniqueKeyConflict): Promise<ApiError | undefined> {
  const { db, model } = context
  const taken = await findTakenKeys(db.sql, model, keys)
  const number = keys.find((key) => taken.some(({ attribute }) => attribute === key.attribute))?.attribute
  const attribute = [...model.attributesById.values()].find((each) => each.number === number)
  if (attribute === undefined) return undefined
  const entityType = entityTypeOf(model, attribute)
  const isVisible = entityType.kind !== 'list' || listAccess(context, entityType) !== undefined
  const ids = taken.filter((key) => key.attribute === number).map(({ entity_id }) => entity_id)
  return restoreConflict(isVisible ? attribute.api_slug : undefined, [...new Set(ids)])
}
