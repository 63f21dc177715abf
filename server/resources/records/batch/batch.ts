/** Writes many records of an object. See docs/reference/records.md (Batches). */

import type { ApiContext } from '../../../context'
import { getWritableObject } from '../../../data-model/find'
import { type Created, createTogether } from '../../../entities/batch/create-together'
import { isIndependent } from '../../../entities/batch/independent-update'
import { compileOperations } from '../../../entities/batch/read-operation'
import {
  type BatchOptions,
  type BatchResult,
  type BatchSteps,
  runBatch,
  type Written,
} from '../../../entities/batch/run-batch'
import type { BatchBody } from '../../../entities/batch/schemas'
import { completeAssignments, readAssignments } from '../../../entities/write/assignments'
import type { ApiError } from '../../../errors/api-error'
import { batchAnswer } from '../../../http/response/batch-answer'
import type { JsonText } from '../../../http/response/answer'
import { newId } from '../../../ids'
import { type AnsweredRecord, answerRecord } from '../answer'
import { OVERWRITE, createRecord } from '../create'
import { deleteRecord } from '../delete'
import { updateRecord } from '../update'
import { upsertRecord } from '../upsert'
import { RECORD_OPERATIONS, type RecordOperation } from './schemas'

const read = compileOperations(RECORD_OPERATIONS)

/** Throws 404 and 403 for the object. With `isAtomic`, throws the failure of an operation. */
export async function writeRecords(
  context: ApiContext,
  object: string,
  { operations }: BatchBody['data'],
  options: BatchOptions,
): Promise<JsonText> {
  getWritableObject(context.model, object)
  return batchAnswer(await runBatch(context, operations, stepsOf(object), options))
}

/** Runs each operation as a single request. Returns their results in order. */
export const runRecordOperations = (
  context: ApiContext,
  object: string,
  operations: readonly RecordOperation[],
): Promise<readonly BatchResult[]> =>
  runBatch(context, operations, stepsOf(object), { isAtomic: false, returns: 'ids' })

const stepsOf = (object: string): BatchSteps<ApiContext, RecordOperation> => ({
  read,
  run: (context, operation) => runOne(context, object, operation),
  createFirst: (context, creations) => createFirst(context, object, creations),
  independentId: ({ model }, operation) =>
    operation.op === 'update' && isIndependent(model, getWritableObject(model, object), operation.values)
      ? operation.record_id.toLowerCase()
      : undefined,
})

async function runOne(context: ApiContext, object: string, operation: RecordOperation): Promise<Written> {
  if (operation.op === 'delete') {
    await deleteRecord(context, object, operation.record_id, { ifMatch: null })
    return { text: undefined, idText: idTextOf(context, object, operation.record_id.toLowerCase()) }
  }
  return written(context, object, await writeOne(context, object, operation))
}

function writeOne(
  context: ApiContext,
  object: string,
  operation: Exclude<RecordOperation, { op: 'delete' }>,
): Promise<AnsweredRecord> {
  const { values } = operation
  if (operation.op === 'create') return createRecord(context, object, values)
  if (operation.op === 'update') {
    const { mode = 'append' } = operation
    return updateRecord(context, object, operation.record_id, { values, multiselectWrite: mode, ifMatch: null })
  }
  const { matching_attribute: matchingAttribute, values_on_create: valuesOnCreate = {} } = operation
  return upsertRecord(context, object, { matchingAttribute, values, valuesOnCreate })
}

async function createFirst(
  context: ApiContext,
  object: string,
  creations: readonly RecordOperation[],
): Promise<readonly (Written | ApiError)[]> {
  const inputs = creations.flatMap((operation) => (operation.op === 'create' ? [operation.values] : []))
  const { created, context: current } = await createTogether(context, inputs, {
    entityTypeOf: ({ model }) => getWritableObject(model, object),
    async read(context, values, writeTry) {
      const entityType = getWritableObject(context.model, object)
      const given = await readAssignments(context, entityType, values, OVERWRITE, writeTry)
      return { id: newId(), assignments: await completeAssignments(context, entityType, given, writeTry) }
    },
  })
  const entityType = getWritableObject(current.model, object)
  return created.map((each: Created) =>
    'row' in each ? written(current, object, answerRecord(current, entityType, each.row)) : each.refusal,
  )
}

const written = (context: ApiContext, object: string, { id, record }: AnsweredRecord): Written => ({
  text: record,
  idText: idTextOf(context, object, id),
})

const idTextOf = ({ model }: ApiContext, object: string, record_id: string): string => {
  const object_id = getWritableObject(model, object).id
  return JSON.stringify({ id: { workspace_id: model.workspace.id, object_id, record_id } })
}
