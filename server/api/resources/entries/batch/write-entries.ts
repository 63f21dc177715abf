/** Writes many entries of a list. See docs/reference/lists-and-entries.md (Batches). */

import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
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
import type { ApiError } from '#base/errors/api-error'
import { entryNotFound } from '#base/errors/attributes'
import { batchAnswer, type JsonText } from '#api/http/response/answer'
import { wholeJson } from '#base/text/marked-json'
import { type AnsweredEntry, renderEntry } from '#api/resources/entries/render'
import {
  createEntry,
  deleteEntries,
  deleteEntry,
  readEntryUpdate,
  readNewEntry,
  updateEntry,
  upsertEntry,
} from '#api/resources/entries/write'
import { ENTRY_OPERATIONS, type EntryOperation } from './schemas'

const readOperation = compileOperations(ENTRY_OPERATIONS)

/** Runs each operation as a single request. */
export const runEntryOperations = createBatchRunner((list, answer): BatchSteps<RequestContext, EntryOperation> => ({
  read: readOperation,
  run: (context, operation) => runOne(context, list, operation),
  createFirst: (context, creations) => createFirst(context, list, creations, answer),
  updateFirst: (context, updates) => updateFirst(context, list, updates, answer),
  deleteAll: (context, deletions) => deleteAll(context, list, deletions),
  independentId(context, operation) {
    if (!('entry_id' in operation) || !isUuid(operation.entry_id)) return undefined
    const isDependent =
      operation.op === 'update' &&
      !isIndependent(context.model, getList(context, list, 'read-and-write'), operation.entry_values)
    return isDependent ? undefined : operation.entry_id.toLowerCase()
  },
}))

/** Throws 404 and 403 for the list. With `isAtomic`, throws the failure of an operation. */
export async function writeEntries(
  context: RequestContext,
  list: string,
  { operations }: BatchBody['data'],
  options: BatchOptions,
): Promise<JsonText> {
  getList(context, list, 'read-and-write')
  return batchAnswer(await runEntryOperations(context, list, operations, options))
}

async function runOne(context: RequestContext, list: string, operation: EntryOperation): Promise<Written> {
  if (operation.op === 'delete') {
    await deleteEntry(context, list, operation.entry_id, null)
    return { render: undefined, idText: idTextOf(context, list, operation.entry_id.toLowerCase()) }
  }
  const { id, entry } = await writeOne(context, list, operation)
  return { render: () => wholeJson(entry), idText: idTextOf(context, list, id) }
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
  answer: Answer,
): Promise<readonly (Written | ApiError)[]> {
  const inputs = creations.filter((operation) => operation.op === 'create')
  const written = await createTogether(context, inputs, {
    entityTypeOf: (context) => getList(context, slugOrId, 'read-and-write'),
    read: (context, input, writeTry) =>
      readNewEntry(context, getList(context, slugOrId, 'read-and-write'), input, writeTry),
    answer,
  })
  return resultsOf(slugOrId, written)
}

async function updateFirst(
  context: RequestContext,
  slugOrId: string,
  updates: readonly EntryOperation[],
  answer: Answer,
): Promise<readonly (Written | ApiError)[]> {
  const inputs = updates.filter((operation) => operation.op === 'update')
  const written = await updateTogether(context, inputs, {
    entityTypeOf: (context) => getList(context, slugOrId, 'read-and-write'),
    idOf: ({ entry_id }) => entry_id.toLowerCase(),
    valuesOf: ({ entry_values }) => entry_values,
    decide: (context, { entry_id: _, mode = 'append', ...change }, entity, writeTry) =>
      readEntryUpdate(context, getList(context, slugOrId, 'read-and-write'), entity, {
        change,
        multiselectWrite: mode,
        writeTry,
      }),
    missing: async (_, id) => entryNotFound(id),
    answer,
  })
  return resultsOf(slugOrId, written)
}

async function deleteAll(
  context: RequestContext,
  list: string,
  deletions: readonly EntryOperation[],
): Promise<readonly (Written | ApiError)[]> {
  const ids = deletions.flatMap((operation) => (operation.op === 'delete' ? [operation.entry_id.toLowerCase()] : []))
  const missing = await deleteEntries(context, list, ids)
  return ids.map((id) => missing.get(id) ?? { render: undefined, idText: idTextOf(context, list, id) })
}

function resultsOf(slugOrId: string, { outcomes, context }: WrittenTogether<RequestContext>): (Written | ApiError)[] {
  const list = getList(context, slugOrId, 'read-and-write')
  return writtenOf(outcomes, {
    render: (row) => renderEntry(context.model, list, row),
    idTextOf: (id) => idTextOf(context, slugOrId, id),
  })
}

const idTextOf = (context: RequestContext, list: string, entry_id: string): string => {
  const list_id = getList(context, list, 'read-and-write').id
  return JSON.stringify({ id: { workspace_id: context.model.workspace.id, list_id, entry_id } })
}
