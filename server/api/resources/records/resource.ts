/** What is particular to records, for the operations that records and entries share. See docs/reference/records.md. */

import type { ApiContext } from '#context'
import { moveToTrash, readRecordOperation } from '#api/entities/record-writes'
import type { EntityResource } from '#api/entities/resource'
import { erasureWith } from '#api/erasure/erase-records'
import { getObject, getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { missingRecord } from '#engine/entities/read/etag'
import type { JobTarget, UndoOperation } from '#api/jobs/job'
import type { WrittenByImport } from '#engine/storage/imports/imported-records'
import { readNextToUndo, undoRecords } from '#transfer/import/undo/undo-import'
import { recordUrl } from '#engine/data-model/names'
import { timestampFromPostgres } from '#base/timing/clock'
import { createdAtText, idOf, POSITION, type Row } from '#engine/storage/layout'
import { columnSpan } from '#engine/entities/read/copy-columns'
import { type HeadWriter, rendererOf } from '#engine/entities/read/render'

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
  readOperation: readRecordOperation,
  delete: moveToTrash,
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

const importOf = (operation: UndoOperation): WrittenByImport => ({
  importId: operation.op === 'undo_import' ? operation.import_id : operation.job_id,
  startedAt: operation.started_at,
})

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
    const id = columnSpan(message, POSITION.id)
    const isCopied =
      writer.jsonString(beforeId, id) &&
      writer.instant(beforeTime, columnSpan(message, POSITION.created_at)) &&
      writer.word(beforeUrlId, id)
    if (isCopied) writer.bytes(beforeValues)
    else {
      writer.truncate(start)
      writer.text(recordHead(context, object, row()))
    }
  }
}
