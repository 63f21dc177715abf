/** Writes many entries of a list. See docs/reference/lists-and-entries.md (Batches). */

import { getList } from '../../../access/list-access/list-access'
import type { RequestContext } from '../../../context'
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
import type { ApiError } from '../../../errors/api-error'
import type { JsonText } from '../../../http/response/answer'
import { batchAnswer } from '../../../http/response/batch-answer'
import { type AnsweredEntry, answerEntry } from '../answer'
import { createEntry, readNewEntry } from '../create'
import { deleteEntry } from '../delete'
import { updateEntry } from '../update'
import { upsertEntry } from '../upsert'
import { ENTRY_OPERATIONS, type EntryOperation } from './schemas'

const read = compileOperations(ENTRY_OPERATIONS)

/** Throws 404 and 403 for the list. With `isAtomic`, throws the failure of an operation. */
export async function writeEntries(
  context: RequestContext,
  list: string,
  { operations }: BatchBody['data'],
  options: BatchOptions,
): Promise<JsonText> {
  getList(context, list, 'read-and-write')
  return batchAnswer(await runBatch(context, operations, stepsOf(list), options))
}

/** Runs each operation as a single request. Returns their results in order. */
export const runEntryOperations = (
  context: RequestContext,
  list: string,
  operations: readonly EntryOperation[],
): Promise<readonly BatchResult[]> => runBatch(context, operations, stepsOf(list), { isAtomic: false, returns: 'ids' })

const stepsOf = (list: string): BatchSteps<RequestContext, EntryOperation> => ({
  read,
  run: (context, operation) => runOne(context, list, operation),
  createFirst: (context, creations) => createFirst(context, list, creations),
  independentId: (context, operation) =>
    operation.op === 'update' &&
    isIndependent(context.model, getList(context, list, 'read-and-write'), operation.entry_values)
      ? operation.entry_id.toLowerCase()
      : undefined,
})

async function runOne(context: RequestContext, list: string, operation: EntryOperation): Promise<Written> {
  if (operation.op === 'delete') {
    await deleteEntry(context, list, operation.entry_id, null)
    return { text: undefined, idText: idTextOf(context, list, operation.entry_id.toLowerCase()) }
  }
  return written(context, list, await writeOne(context, list, operation))
}

function writeOne(
  context: RequestContext,
  list: string,
  operation: Exclude<EntryOperation, { op: 'delete' }>,
): Promise<AnsweredEntry> {
  if (operation.op === 'create') return createEntry(context, list, operation)
  if (operation.op === 'upsert') return upsertEntry(context, list, operation)
  const { entry_id, mode = 'append', ...change } = operation
  return updateEntry(context, list, entry_id, { change, multiselectWrite: mode, ifMatch: null })
}

async function createFirst(
  context: RequestContext,
  slugOrId: string,
  creations: readonly EntryOperation[],
): Promise<readonly (Written | ApiError)[]> {
  const inputs = creations.flatMap((operation) => (operation.op === 'create' ? [operation] : []))
  const { created, context: current } = await createTogether(context, inputs, {
    entityTypeOf: (context) => getList(context, slugOrId, 'read-and-write'),
    read: (context, input, writeTry) =>
      readNewEntry(context, getList(context, slugOrId, 'read-and-write'), input, writeTry),
  })
  const list = getList(current, slugOrId, 'read-and-write')
  return created.map((each: Created) =>
    'row' in each ? written(current, slugOrId, answerEntry(current, list, each.row)) : each.refusal,
  )
}

const written = (context: RequestContext, list: string, { id, entry }: AnsweredEntry): Written => ({
  text: entry,
  idText: idTextOf(context, list, id),
})

const idTextOf = (context: RequestContext, list: string, entry_id: string): string => {
  const list_id = getList(context, list, 'read-and-write').id
  return JSON.stringify({ id: { workspace_id: context.model.workspace.id, list_id, entry_id } })
}
