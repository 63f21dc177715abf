/**
 * Runs the operations of a batch in their order. Operations of one name that follow each other share statements if none can see
 * the effects of another one. See docs/reference/records.md (Batches).
 */

import { readId } from '#base/errors/http'
import type { ApiContext } from '#context'
import { runInTransaction } from '#db/run-in-transaction'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { batchFailure } from '#base/errors/records'
import { wholeJson } from '#base/text/marked-json'
import { isUuid } from '#vocabulary/uuids'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { asOutboxWriter } from '#engine/outbox/outbox'
import { createTogether } from './create-together'
import {
  type AnsweredEntity,
  createOperation,
  deleteOperation,
  type EntityDeletion,
  type EntityKind,
  type EntityUpdate,
  type EntityUpsert,
  type EntityCreation,
  updateOperation,
  upsertOperation,
} from './definitions'
import { createAlone, deleteAlone, updateAlone, upsertAlone } from './run-alone'
import type { Answer, WrittenTogether } from './together'
import { isIndependent, updateTogether } from './update-together'
import { upsertTogether } from './upsert-together'

/** One operation of a batch. */
export type EntityOperation =
  | ({ readonly op: 'create' } & EntityCreation)
  | ({ readonly op: 'update' } & EntityUpdate)
  | ({ readonly op: 'upsert' } & EntityUpsert)
  | ({ readonly op: 'delete' } & EntityDeletion)

/** Checks an operation of a body. Throws `ApiError`. */
type ReadOperation<Named> = (operation: Named) => EntityOperation

/** The text of a result, or the error of a failed operation. */
export type BatchResult = string | ApiError

export interface BatchOptions {
  /** Whether the first failure undoes the whole batch. */
  readonly isAtomic: boolean
  readonly returns: 'full' | 'ids'
}

/** The results have about this number of characters at most. Later ones have only ids. */
const MAX_RESULT_LENGTH = 50_000_000

/** How many entities one transaction of a batch deletes. Other deletions in the workspace wait for it. */
const MAX_DELETED_TOGETHER = 100

/** An entity that an operation wrote or deleted, as JSON text. */
interface Written {
  /** Renders the members of the entity. Undefined for a deleted one, and if only the id was asked for. */
  readonly render: (() => string) | undefined
  /** An object with only the member `id`. */
  readonly idText: string
}

/** Reads the operations of a body. One that is invalid does not keep the others from running. */
export const readBatchOperations = <Named>(
  operations: readonly Named[],
  read: ReadOperation<Named>,
): readonly (EntityOperation | ApiError)[] =>
  operations.map((operation) => {
    try {
      return read(operation)
    } catch (error) {
      return refusalOf(error)
    }
  })

/** Runs the operations on entities of one entity type. Returns a result for each, in order. With `isAtomic`, throws the failure of an operation. */
export function runBatch(
  kind: EntityKind,
  slugOrId: string,
  context: ApiContext,
  operations: readonly (EntityOperation | ApiError)[],
  { isAtomic, returns }: BatchOptions,
): Promise<readonly BatchResult[]> {
  const runNext = createRunner(kind, slugOrId, returns === 'full' ? 'rows' : 'nothing')
  const run = async (context: ApiContext) => {
    const results: BatchResult[] = []
    let length = returns === 'ids' ? Infinity : 0
    const add = (outcome: Written | ApiError) => {
      if (outcome instanceof ApiError) {
        if (isAtomic) throw batchFailure(outcome, results.length)
        results.push(outcome)
      } else {
        const result = (length < MAX_RESULT_LENGTH ? outcome.render?.() : undefined) ?? outcome.idText
        length += result.length
        results.push(result)
      }
    }
    const current = withNewestModel(context)
    while (results.length < operations.length) (await runNext(current, operations.slice(results.length))).forEach(add)
    return results
  }
  return isAtomic ? inOneTransaction(context, run) : run(context)
}

/** The same context, whose data model becomes the one that an operation loads. */
function withNewestModel(context: ApiContext): ApiContext {
  const current: ApiContext = {
    ...context,
    reloadModel: async () => {
      const model = await context.reloadModel()
      Object.assign(current, { model })
      return model
    },
  }
  return current
}

/** Runs at least one of the next operations, and returns the outcomes in their order. */
type RunNext = (
  context: ApiContext,
  next: readonly (EntityOperation | ApiError)[],
) => Promise<readonly (Written | ApiError)[]>

function createRunner(kind: EntityKind, slugOrId: string, answer: Answer): RunNext {
  const creation = createOperation(kind, slugOrId)
  const update = updateOperation(kind, slugOrId)
  const upsert = upsertOperation(kind, slugOrId)
  const deletion = deleteOperation(kind, slugOrId)

  /** Returns a function that makes the object with only the member `id`. */
  const idTextsOf = (context: ApiContext): ((id: string) => string) => {
    const [typeMember, member] = kind.idMembers
    const head = `{"id":{"workspace_id":"${context.model.workspace.id}","${typeMember}":"${kind.find(context, slugOrId).id}","${member}":"`
    return (id) => `${head}${id}"}}`
  }

  const writtenAlone = (context: ApiContext, { id, entity }: AnsweredEntity): Written => ({
    render: () => wholeJson(entity),
    idText: idTextsOf(context)(id),
  })

  async function runAlone(context: ApiContext, operation: EntityOperation): Promise<Written> {
    switch (operation.op) {
      case 'create':
        return writtenAlone(context, await createAlone(creation, context, operation))
      case 'update':
        return writtenAlone(context, await updateAlone(update, context, operation))
      case 'upsert':
        return writtenAlone(context, await upsertAlone(upsert, context, operation))
      case 'delete':
        await deleteAlone(deletion, context, operation)
        return { render: undefined, idText: idTextsOf(context)(operation.id.toLowerCase()) }
    }
  }

  function writtenTogether({ outcomes, context }: WrittenTogether): (Written | ApiError)[] {
    const entityType = kind.find(context, slugOrId)
    const idTextOf = idTextsOf(context)
    return outcomes.map((outcome) => {
      if ('refusal' in outcome) return outcome.refusal
      const { id, row } = outcome
      return { render: row && (() => kind.render(context, entityType, row)), idText: idTextOf(id) }
    })
  }

  /** The deletions have different ids. Deletes all of them. */
  const deleteTogether = (context: ApiContext, deletions: readonly EntityDeletion[]) =>
    retryOnConflict(context, async (context): Promise<(Written | ApiError)[]> => {
      const entityType = deletion.entityTypeOf(context)
      const ids = deletions.map(({ id }) => readId(deletion.noun, id))
      const deleted = await deletion.delete(context, entityType, ids, () => {})
      const idTextOf = idTextsOf(context)
      const outcomes: (Written | ApiError)[] = []
      for (const id of ids) {
        if (deleted.has(id)) outcomes.push({ render: undefined, idText: idTextOf(id) })
        else outcomes.push(await deletion.missing(context, entityType, id))
      }
      return outcomes
    })

  /** Writes as many of the first operations as share a statement, which may be none. All have the name of the first one. */
  async function runTogether(
    context: ApiContext,
    together: readonly EntityOperation[],
  ): Promise<readonly (Written | ApiError)[]> {
    switch (together[0]?.op) {
      case 'create':
        return writtenTogether(await createTogether(creation, context, together.filter(isNamed('create')), answer))
      case 'update':
        return writtenTogether(await updateTogether(update, context, together.filter(isNamed('update')), answer))
      case 'upsert':
        if (kind.matchByParent) return []
        return upsertTogether(upsert, context, together.filter(isNamed('upsert')), {
          answer,
          resultsOf: writtenTogether,
          runAlone: (input) => runAlone(context, { op: 'upsert', ...input }).catch(refusalOf),
        })
      case 'delete':
        return deleteTogether(context, together.filter(isNamed('delete')))
      default:
        return []
    }
  }

  /**
   * The id of the entity that an operation deletes, or that an update writes if it shows and changes nothing of the other entities.
   * Undefined for a text that is no id.
   */
  function independentId(context: ApiContext, operation: EntityOperation): string | undefined {
    if (!('id' in operation) || !isUuid(operation.id)) return undefined
    const isDependent =
      operation.op === 'update' && !isIndependent(context.model, kind.find(context, slugOrId), operation.values)
    return isDependent ? undefined : operation.id.toLowerCase()
  }

  /** The first operations with the name of `first`; of updates and deletions, those of different entities whose order does not matter. */
  function firstTogether(
    context: ApiContext,
    next: readonly (EntityOperation | ApiError)[],
    first: EntityOperation,
  ): EntityOperation[] {
    if (first.op === 'create' || first.op === 'upsert') return firstOf(next, ({ op }) => op === first.op)
    const limit = first.op === 'delete' ? MAX_DELETED_TOGETHER : Infinity
    const ids = new Set<string>()
    return firstOf(next, (operation) => {
      const id = operation.op === first.op ? independentId(context, operation) : undefined
      if (id === undefined || ids.has(id) || ids.size === limit) return false
      ids.add(id)
      return true
    })
  }

  return async (context, next) => {
    const [first] = next
    if (first === undefined || first instanceof ApiError) return first ? [first] : []
    const together = firstTogether(context, next, first)
    if (together.length > 1) {
      const outcomes = await runTogether(context, together).catch((error) => together.map(() => refusalOf(error)))
      if (outcomes.length > 0) return outcomes
    }
    return [await runAlone(context, first).catch(refusalOf)]
  }
}

const isNamed =
  <Op extends EntityOperation['op']>(name: Op) =>
  (operation: EntityOperation): operation is EntityOperation & { readonly op: Op } =>
    operation.op === name

/** The operations before the first one that is invalid or does not match. */
function firstOf(
  next: readonly (EntityOperation | ApiError)[],
  matches: (operation: EntityOperation) => boolean,
): EntityOperation[] {
  const first: EntityOperation[] = []
  for (const operation of next) {
    if (operation instanceof ApiError || !matches(operation)) break
    first.push(operation)
  }
  return first
}

/** Runs writes, and commits all of them or none. In the transaction of the request, its owner undoes them when `work` throws. */
function inOneTransaction<T>(context: ApiContext, work: (context: ApiContext) => Promise<T>): Promise<T> {
  const { db, model } = context
  if (db.isInTransaction) return work(context)
  return asOutboxWriter(db, model.workspace.id, () =>
    runInTransaction(db, ({ undoable }) => undoable((within) => work(contextInTransaction(context, within)))),
  )
}
