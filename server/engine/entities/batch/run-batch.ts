/**
 * Runs the operations of a batch in their order. Operations of one name that follow each other share statements if none can see
 * the effects of another one. See docs/reference/records.md (Batches).
 */

import type { RequestContext } from '#context'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { batchFailure } from '#base/errors/records'
import type { Row } from '#engine/storage/layout'
import type { OperationName } from './schemas'
import { runInTransaction } from '#db/run-in-transaction'
import { contextInTransaction } from '#engine/data-model/access/context-in-transaction'
import { asOutboxWriter } from '#engine/outbox/outbox-writers'

/** An entity that an operation wrote or deleted, as JSON text. */
export interface Written {
  /** Renders the members of the entity. Undefined for a deleted one, and if only the id was asked for. */
  readonly render: (() => string) | undefined
  /** An object with only the member `id`. */
  readonly idText: string
}

/** The text of a result, or the error of a failed operation. */
export type BatchResult = string | ApiError

export interface NamedOperation {
  readonly op: OperationName
}

/** How the operations of records, or those of entries, run. All functions throw `ApiError`. */
export interface BatchSteps<C extends RequestContext, Operation extends NamedOperation> {
  /** Checks an operation of the body. */
  read(operation: NamedOperation): Operation
  run(context: C, operation: Operation): Promise<Written>
  /** Each writes as many of the first of these operations as share a statement, which may be none. */
  createFirst(context: C, creations: readonly Operation[]): Promise<readonly (Written | ApiError)[]>
  /** The updates write different entities and have an `independentId`. */
  updateFirst(context: C, updates: readonly Operation[]): Promise<readonly (Written | ApiError)[]>
  /** Absent where upserts share no statements. */
  upsertFirst?(context: C, upserts: readonly Operation[]): Promise<readonly (Written | ApiError)[]>
  /** The deletions have different ids. Writes all of them. */
  deleteAll(context: C, deletions: readonly Operation[]): Promise<readonly (Written | ApiError)[]>
  /**
   * The id of the entity that an operation deletes, or that an update writes if it shows and changes nothing of the other entities.
   * Undefined for a text that is no id.
   */
  independentId(context: C, operation: Operation): string | undefined
}

export interface BatchOptions {
  /** Whether the first failure undoes the whole batch. */
  readonly isAtomic: boolean
  readonly returns: 'full' | 'ids'
}

/** The operations are independent of each other, and the result of each one is the id of its entity. */
export const SEPARATE_WITH_IDS: BatchOptions = { isAtomic: false, returns: 'ids' }

/** The results have about this number of characters at most. Later ones have only ids. */
const MAX_RESULT_LENGTH = 50_000_000

/** Runs the operations on entities of one entity type. Returns a result for each, in order. */
type BatchRunner<C extends RequestContext> = (
  context: C,
  entityType: string,
  operations: readonly NamedOperation[],
  options: BatchOptions,
) => Promise<readonly BatchResult[]>

/** `stepsOf` gets the slug or id of the entity type, and what its statements return. */
export const createBatchRunner =
  <C extends RequestContext, Operation extends NamedOperation>(
    stepsOf: (entityType: string, answer: Answer) => BatchSteps<C, Operation>,
  ): BatchRunner<C> =>
  (context, entityType, operations, options) =>
    runBatch(context, operations, stepsOf(entityType, options.returns === 'full' ? 'rows' : 'nothing'), options)

/** `render` makes the members of a row, `idTextOf` the object with the id. A refused operation has its error. */
export const writtenOf = (
  outcomes: readonly Outcome[],
  { render, idTextOf }: { render: (row: Row) => string; idTextOf: (id: string) => string },
): (Written | ApiError)[] =>
  outcomes.map((outcome) => {
    if ('refusal' in outcome) return outcome.refusal
    const { id, row } = outcome
    return { render: row && (() => render(row)), idText: idTextOf(id) }
  })

function runBatch<C extends RequestContext, Operation extends NamedOperation>(
  context: C,
  operations: readonly NamedOperation[],
  steps: BatchSteps<C, Operation>,
  { isAtomic, returns }: BatchOptions,
): Promise<readonly BatchResult[]> {
  const read = operations.map((operation) => attempt(() => steps.read(operation)))
  const run = async (context: C) => {
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
    while (results.length < read.length) (await runNext(current, read.slice(results.length), steps)).forEach(add)
    return results
  }
  return isAtomic ? inOneTransaction(context, run) : run(context)
}

/** The same context, whose data model becomes the one that an operation loads. */
function withNewestModel<C extends RequestContext>(context: C): C {
  const current: C = {
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
async function runNext<C extends RequestContext, Operation extends NamedOperation>(
  context: C,
  next: readonly (Operation | ApiError)[],
  steps: BatchSteps<C, Operation>,
): Promise<readonly (Written | ApiError)[]> {
  const [first] = next
  if (first === undefined || first instanceof ApiError) return first ? [first] : []
  const together = firstTogether(context, next, first, steps)
  if (together.length > 1) {
    const outcomes = await writeFirst(context, together, steps).catch((error) => together.map(() => refusalOf(error)))
    if (outcomes.length > 0) return outcomes
  }
  return [await steps.run(context, first).catch(refusalOf)]
}

/** How many entities one transaction of a batch deletes. Other deletions in the workspace wait for it. */
const MAX_DELETED_TOGETHER = 100

/** The first operations with the name of `first`; of updates and deletions, those of different entities whose order does not matter. */
function firstTogether<C extends RequestContext, Operation extends NamedOperation>(
  context: C,
  next: readonly (Operation | ApiError)[],
  first: Operation,
  steps: BatchSteps<C, Operation>,
): Operation[] {
  if (first.op === 'create' || first.op === 'upsert') return firstOf(next, ({ op }) => op === first.op)
  const limit = first.op === 'delete' ? MAX_DELETED_TOGETHER : Infinity
  const ids = new Set<string>()
  return firstOf(next, (operation) => {
    const id = operation.op === first.op ? steps.independentId(context, operation) : undefined
    if (id === undefined || ids.has(id) || ids.size === limit) return false
    ids.add(id)
    return true
  })
}

async function writeFirst<C extends RequestContext, Operation extends NamedOperation>(
  context: C,
  together: readonly Operation[],
  steps: BatchSteps<C, Operation>,
): Promise<readonly (Written | ApiError)[]> {
  switch (together[0]?.op) {
    case 'create':
      return steps.createFirst(context, together)
    case 'update':
      return steps.updateFirst(context, together)
    case 'upsert':
      return steps.upsertFirst?.(context, together) ?? []
    case 'delete':
      return steps.deleteAll(context, together)
    default:
      return []
  }
}

/** The operations before the first one that is invalid or does not match. */
function firstOf<Operation>(
  next: readonly (Operation | ApiError)[],
  matches: (operation: Operation) => boolean,
): Operation[] {
  const first: Operation[] = []
  for (const operation of next) {
    if (operation instanceof ApiError || !matches(operation)) break
    first.push(operation)
  }
  return first
}

function attempt<T>(work: () => T): T | ApiError {
  try {
    return work()
  } catch (error) {
    return refusalOf(error)
  }
}

/** Runs writes, and commits all of them or none. In the transaction of the request, its owner undoes them when `work` throws. */
function inOneTransaction<C extends RequestContext, T>(context: C, work: (context: C) => Promise<T>): Promise<T> {
  const { db, model } = context
  if (db.isInTransaction) return work(context)
  return asOutboxWriter(db, model.workspace.id, () =>
    runInTransaction(db, ({ undoable }) => undoable((within) => work(contextInTransaction(context, within)))),
  )
}

/** What several entities written together became: the id of one, with its row if it was asked for, or the reason to refuse it. */
export type Outcome = { readonly id: string; readonly row: Row | undefined } | { readonly refusal: ApiError }

/** What the writer of several entities needs of each: its row for its renderer, or only its id. */
export type Answer = 'rows' | 'nothing'

export interface WrittenTogether<C> {
  /** One for each of the first inputs, which may be none: then the first input is to be written alone. */
  readonly outcomes: readonly Outcome[]
  /** The context with the data model that the rows have. */
  readonly context: C
}
