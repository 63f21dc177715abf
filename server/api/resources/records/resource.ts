/** What is particular to records, for the operations that records and entries share. See docs/reference/records.md. */

import type { ApiContext } from '#context'
import type { EntityResource } from '#api/entities/resource'
import { erasureWith } from '#api/erasure/erase-records'
import { invalidQuery } from '#base/errors/http'
import { getObject, getWritableObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import type { EntityKind } from '#engine/entities/operations/definitions'
import type { EntityOperation } from '#engine/entities/operations/run-batch'
import { compileOperations, type NamedOperation } from '#engine/entities/operations/schemas'
import { missingRecord } from '#engine/entities/read/etag'
import { deleteRecordEntities, purgeRecordEntity } from '#engine/entities/write/delete-entity'
import { eventOriginOf } from '#engine/outbox/outbox'
import { requireAllScopes } from '#base/errors/access'
import type { JobTarget, UndoOperation } from '#api/jobs/job'
import { readNextToUndo, undoRecords } from '#transfer/import/undo/undo-import'
import { recordHeadWriter, renderRecord } from './render'
import { RECORD_OPERATIONS } from './schemas'

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
