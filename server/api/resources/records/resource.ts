/** What is particular to records, for the operations that records and entries share. See docs/reference/records.md. */

import type { Static } from 'typebox'
import type { ApiContext } from '#context'
import type { EntityResource } from '#api/entities/resource'
import { erasureWith } from '#api/erasure/erase-records'
import { invalidQuery } from '#base/errors/http'
import { getObject, getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import type { EntityKind, EntityUpdate } from '#engine/entities/operations/definitions'
import type { EntityOperation } from '#engine/entities/operations/run-batch'
import { compileOperations, type NamedOperation } from '#engine/entities/operations/schemas'
import { missingRecord } from '#engine/entities/read/etag'
import { deleteRecordEntities, purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { eventOriginOf } from '#engine/outbox/outbox'
import { requireAllScopes } from '#base/errors/access'
import type { JobTarget, UndoOperation } from '#api/jobs/job'
import { readNextToUndo, undoRecords } from '#transfer/import/undo/undo-import'
import { RECORD_OPERATIONS, type RecordBody } from './schemas'
import { recordUrl } from '#engine/data-model/names'
import { timestampFromPostgres } from '#base/timing/clock'
import { createdAtText, idOf, POSITION, type Row } from '#engine/storage/layout'
import { spanOf } from '#engine/entities/read/copy-columns'
import { type HeadWriter, rendererOf } from '#engine/entities/read/render'

export const changeOf = ({ data: { values } }: Static<typeof RecordBody>): Pick<EntityUpdate, 'values'> => ({ values })

const checkOperation = compileOperations(RECORD_OPERATIONS)

function readOperation(named: NamedOperation): EntityOperation {
  const operation = checkOperation(named)
  switch (operation.op) {
    case 'create':
      return operation
    case 'update': {
      const { op, record_id, values, mode = 'append' } = operation
      return { op, id: record_id, values, multiselectWrite: mode, ifMatch: null }
    }
    case 'upsert': {
      const { op, matching_attribute, values, values_on_create = {} } = operation
      return { op, matchingAttribute: matching_attribute, values, valuesOnCreate: values_on_create }
    }
    case 'delete':
      return { op: 'delete', id: operation.record_id, ifMatch: null }
  }
}

/** A deletion moves records to the trash. See docs/reference/trash.md. */
export const RECORDS: EntityResource<ObjectType> = {
  kind: 'object',
  member: 'values',
  idMembers: ['object_id', 'record_id'],
  find: ({ model }, slugOrId) => getWritableObject(model, slugOrId),
  findReadable: ({ model }, slugOrId) => getObject(model, slugOrId),
  noun: 'Record',
  missing: missingRecord,
  render: renderRecord,
  headWriter: recordHeadWriter,
  readOperation,
  delete: (context, object, ids, check) =>
    deleteRecordEntities(context, object, ids, {
      check,
      trashDays: context.trashDays,
      prepareErasure: erasureWith({ now: context.now }),
    }),
}

interface Erasure {
  /** Whether the record is not kept in the trash, and deleted from it. */
  readonly isPermanent: boolean
  /** Whether the texts of its tasks are erased as well. Only with `isPermanent`. */
  readonly erasesTasks: boolean
}

/** Records whose deletion erases them. Throws 400 and 403 for `erasesTasks`. */
export const recordsToErase = ({ isPermanent, erasesTasks }: Erasure): EntityKind<ObjectType> => ({
  ...RECORDS,
  async delete(context, object, ids, check) {
    if (erasesTasks) requireErasableTasks(context, isPermanent)
    if (!isPermanent) return RECORDS.delete(context, object, ids, check)
    const originOfTasks = erasesTasks ? () => eventOriginOf(context) : undefined
    const prepareErasure = erasureWith({ now: context.now, originOfTasks })
    const deleted = new Set<string>()
    for (const id of ids) {
      if (await purgeRecordEntity(context, object, id, { check, prepareErasure })) deleted.add(id)
    }
    return deleted
  },
})

function requireErasableTasks({ scopes }: ApiContext, isPermanent: boolean): void {
  requireAllScopes(scopes, ['task:read-write'])
  if (!isPermanent)
    throw invalidQuery([{ code: 'invalid', path: ['erase_tasks'], message: 'Can only be given with permanent=true' }])
}

/** How jobs write records and undo imports. */
export const RECORD_JOBS: JobTarget = {
  entities: RECORDS,
  undo: {
    readNext: (context, objectId, operation, place) =>
      readNextToUndo(context, getWritableObject(context.model, objectId), importOf(operation), place),
    write: (context, objectId, operation, ids) =>
      undoRecords(
        context,
        objectId,
        { ...importOf(operation), prepareErasure: erasureWith({ now: context.now }) },
        ids,
      ),
  },
}

const importOf = ({ import_id, started_at }: UndoOperation) => ({ importId: import_id, startedAt: started_at })

// The form of a record. See docs/reference/records.md (The form of a record).

/** Compiled once per object and data model. */
interface RecordTemplate {
  readonly idHead: string
  readonly urlHead: string
  readonly writeHead: HeadWriter
}

const templates = new WeakMap<ObjectType, RecordTemplate>()

/** Renders a record as JSON text. */
export function renderRecord(context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType, row: Row): string {
  return `${recordHead(context, object, row)}${rendererOf(context.model, object).renderValues(row)}}`
}

/** The members of a record before its values. */
function recordHead(context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType, row: Row): string {
  const { idHead, urlHead } = templateOf(context, object)
  const id = idOf(row)
  return `{"id":{${idHead}"record_id":"${id}"},"created_at":"${timestampFromPostgres(createdAtText(row))}","web_url":"${urlHead}${id}","values":`
}

/** Returns what appends the same members. */
function recordHeadWriter(context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType): HeadWriter {
  return templateOf(context, object).writeHead
}

function templateOf(context: Pick<ApiContext, 'model' | 'appUrl'>, object: ObjectType): RecordTemplate {
  const { model, appUrl } = context
  const cached = templates.get(object)
  if (cached) return cached
  const idHead = `"workspace_id":"${model.workspace.id}","object_id":"${object.id}",`
  const urlHead = JSON.stringify(recordUrl(appUrl, model, object, '')).slice(1, -1)
  const template = { idHead, urlHead, writeHead: compileHeadWriter({ model, appUrl }, object, { idHead, urlHead }) }
  templates.set(object, template)
  return template
}

/** The same head, with the bytes of the id and the time that PostgreSQL sent. */
function compileHeadWriter(
  context: Pick<ApiContext, 'model' | 'appUrl'>,
  object: ObjectType,
  { idHead, urlHead }: Pick<RecordTemplate, 'idHead' | 'urlHead'>,
): HeadWriter {
  const beforeId = Buffer.from(`{"id":{${idHead}"record_id":`)
  const beforeTime = Buffer.from('},"created_at":')
  const beforeUrlId = Buffer.from(`,"web_url":"${urlHead}`)
  const beforeValues = Buffer.from('","values":')
  return (writer, message, row) => {
    const start = writer.length
    const id = spanOf(message, POSITION.id)
    const isCopied =
      writer.jsonString(beforeId, id) &&
      writer.instant(beforeTime, spanOf(message, POSITION.created_at)) &&
      writer.word(beforeUrlId, id)
    if (isCopied) writer.bytes(beforeValues)
    else {
      writer.truncate(start)
      writer.text(recordHead(context, object, row()))
    }
  }
}
