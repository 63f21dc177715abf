/** Writes many records of an object. See docs/reference/records.md (Batches). */

import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { createTogether } from '#engine/entities/batch/create-together'
import { isIndependent, updateTogether } from '#engine/entities/batch/update-together'
import {
  type Answer,
  type BatchOptions,
  type BatchSteps,
  createBatchRunner,
  type Written,
  writtenOf,
  type WrittenTogether,
} from '#engine/entities/batch/run-batch'
import { compileOperations } from '#engine/entities/batch/read-operation'
import type { BatchBody } from '#engine/entities/batch/schemas'
import { missingRecord } from '#engine/entities/read/etag'
import { completeAssignments, readAssignments } from '#engine/entities/write/assignments'
import { type ApiError, refusalOf } from '#base/errors/api-error'
import { batchAnswer, type JsonText } from '#api/http/response/answer'
import { newId } from '#base/ids'
import { wholeJson } from '#base/text/marked-json'
import { type AnsweredRecord, renderRecord } from '#api/resources/records/render'
import { createRecord, deleteRecord, deleteRecords, OVERWRITE, updateRecord } from '#api/resources/records/write'
import { type Upsert, upsertRecord } from '#api/resources/records/upsert'
import { RECORD_OPERATIONS, type RecordOperation } from './schemas'
import { upsertTogether } from './upsert-together'

const readOperation = compileOperations(RECORD_OPERATIONS)

/** Runs each operation as a single request. */
export const runRecordOperations = createBatchRunner((object, answer): BatchSteps<ApiContext, RecordOperation> => ({
  read: readOperation,
  run: (context, operation) => runOne(context, object, operation),
  createFirst: (context, creations) => createFirst(context, object, creations, answer),
  updateFirst: (context, updates) => updateFirst(context, object, updates, answer),
  upsertFirst: (context, upserts) => upsertFirst(context, object, upserts, answer),
  deleteAll: (context, deletions) => deleteAll(context, object, deletions),
  independentId({ model }, operation) {
    if (!('record_id' in operation) || !isUuid(operation.record_id)) return undefined
    const isDependent =
      operation.op === 'update' && !isIndependent(model, getWritableObject(model, object), operation.values)
    return isDependent ? undefined : operation.record_id.toLowerCase()
  },
}))

/** Throws 404 and 403 for the object. With `isAtomic`, throws the failure of an operation. */
export async function writeRecords(
  context: ApiContext,
  object: string,
  { operations }: BatchBody['data'],
  options: BatchOptions,
): Promise<JsonText> {
  getWritableObject(context.model, object)
  return batchAnswer(await runRecordOperations(context, object, operations, options))
}

async function runOne(context: ApiContext, object: string, operation: RecordOperation): Promise<Written> {
  if (operation.op === 'delete') {
    await deleteRecord(context, object, operation.record_id, { ifMatch: null })
    return { render: undefined, idText: idTextOf(context, object, operation.record_id.toLowerCase()) }
  }
  return writtenAlone(context, object, await writeOne(context, object, operation))
}

const writtenAlone = (context: ApiContext, object: string, { id, record }: AnsweredRecord): Written => ({
  render: () => wholeJson(record),
  idText: idTextOf(context, object, id),
})

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
  return upsertRecord(context, object, upsertOf(operation))
}

async function createFirst(
  context: ApiContext,
  object: string,
  creations: readonly RecordOperation[],
  answer: Answer,
): Promise<readonly (Written | ApiError)[]> {
  const inputs = creations.flatMap((operation) => (operation.op === 'create' ? [operation.values] : []))
  const written = await createTogether(context, inputs, {
    entityTypeOf: ({ model }) => getWritableObject(model, object),
    async read(context, values, writeTry) {
      const entityType = getWritableObject(context.model, object)
      const given = await readAssignments(context, entityType, values, OVERWRITE, writeTry)
      return { id: newId(), assignments: await completeAssignments(context, entityType, given, writeTry) }
    },
    answer,
  })
  return resultsOf(object, written)
}

async function updateFirst(
  context: ApiContext,
  object: string,
  updates: readonly RecordOperation[],
  answer: Answer,
): Promise<readonly (Written | ApiError)[]> {
  const inputs = updates.filter((operation) => operation.op === 'update')
  const written = await updateTogether(context, inputs, {
    entityTypeOf: ({ model }) => getWritableObject(model, object),
    idOf: ({ record_id }) => record_id.toLowerCase(),
    valuesOf: ({ values }) => values,
    async decide(context, { values, mode = 'append' }, _entity, writeTry) {
      const entityType = getWritableObject(context.model, object)
      const parsing = { member: 'values', appends: mode === 'append' } as const
      const assignments = await readAssignments(context, entityType, values, parsing, writeTry)
      return { assignments, multiselectWriteOf: () => mode }
    },
    missing: (context: ApiContext, id) => missingRecord(context, getWritableObject(context.model, object), id),
    answer,
  })
  return resultsOf(object, written)
}

const upsertFirst = (
  context: ApiContext,
  object: string,
  operations: readonly RecordOperation[],
  answer: Answer,
): Promise<readonly (Written | ApiError)[]> =>
  upsertTogether(context, object, operations.filter((operation) => operation.op === 'upsert').map(upsertOf), {
    answer,
    resultsOf: (written) => resultsOf(object, written),
    runAlone: (upsert) => upsertAlone(context, object, upsert).catch(refusalOf),
  })

const upsertAlone = async (context: ApiContext, object: string, upsert: Upsert): Promise<Written> =>
  writtenAlone(context, object, await upsertRecord(context, object, upsert))

const upsertOf = (operation: RecordOperation & { op: 'upsert' }): Upsert => ({
  matchingAttribute: operation.matching_attribute,
  values: operation.values,
  valuesOnCreate: operation.values_on_create ?? {},
})

async function deleteAll(
  context: ApiContext,
  object: string,
  deletions: readonly RecordOperation[],
): Promise<readonly (Written | ApiError)[]> {
  const ids = deletions.flatMap((operation) => (operation.op === 'delete' ? [operation.record_id.toLowerCase()] : []))
  const missing = await deleteRecords(context, object, ids)
  const idHead = idHeadOf(context, object)
  return ids.map((id) => missing.get(id) ?? { render: undefined, idText: `${idHead}${id}"}}` })
}

function resultsOf(object: string, { outcomes, context }: WrittenTogether<ApiContext>): (Written | ApiError)[] {
  const entityType = getWritableObject(context.model, object)
  const idHead = idHeadOf(context, object)
  return writtenOf(outcomes, {
    render: (row) => renderRecord(context, entityType, row),
    idTextOf: (id) => `${idHead}${id}"}}`,
  })
}

const idTextOf = (context: ApiContext, object: string, id: string): string => `${idHeadOf(context, object)}${id}"}}`

/** The JSON text before the id of a record. */
const idHeadOf = ({ model }: ApiContext, object: string): string =>
  `{"id":{"workspace_id":"${model.workspace.id}","object_id":"${getWritableObject(model, object).id}","record_id":"`
