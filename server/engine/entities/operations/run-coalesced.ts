/**
 * Coalesces writes: those that arrive while others run wait for them, and then share one statement, so one commit. A write that
 * finds no other one runs at once. See docs/decisions/batches.md.
 */

import { ApiError } from '#base/errors/api-error'
import { mayHaveCommitted } from '#base/errors/database'
import { currentScope } from '#base/monitoring/trace-context'
import { createDelayedCall } from '#base/timing/wait'
import { createLru, type Lru } from '#base/caching/caching'
import type { ApiContext } from '#context'
import { isUuid } from '#vocabulary/uuids'
import { type Attribute, type DataModel, SYSTEM_ACTOR } from '#engine/data-model/model'
import { storesReferences } from '#engine/storage/layout'
import { attributesNamed } from '#engine/entities/write/parse-values'
import { createOnce } from './create-together'
import type { AnsweredEntity, CreateOperation, EntityUpdate, EntityCreation, UpdateOperation } from './definitions'
import { createAlone, updateAlone } from './run-alone'
import type { Outcome } from './together'
import { updateOnce } from './update-together'

interface CoalescerSteps<Input, Output> {
  /** The id of the entity, which a statement writes once. Undefined for a new entity. */
  idOf(input: Input): string | undefined
  /** Writes as if there were no other writes. */
  alone(input: Input): Promise<Output>
  /** Writes all inputs with one statement, which waits for no lock of a row. Throws if it wrote none. */
  together(inputs: readonly Input[]): Promise<readonly (Output | ApiError)[]>
}

interface Coalescer<Input, Output> {
  write(input: Input): Promise<Output>
}

/** Those that wait for one running write share more of the next statement and commit than those that wait for one of two. */
export const MAX_RUNNING = 1
/** A longer statement delays the responses of all. */
export const MAX_TOGETHER = 25
/** A write waits no longer than this for others, which may wait for a lock. */
const MAX_WAIT_MS = 10
/** After writes that could not share a statement, the next ones run alone for this time. */
const PAUSE_MS = 1000

interface Waiting<Input, Output> {
  readonly input: Input
  resolve(output: Output | Promise<Output>): void
  reject(error: unknown): void
}

/** `clock` returns monotonic milliseconds. */
export function createCoalescer<Input, Output>(
  { idOf, alone, together }: CoalescerSteps<Input, Output>,
  clock: () => number = () => performance.now(),
): Coalescer<Input, Output> {
  let running = 0
  let waiting: Waiting<Input, Output>[] = []
  let pauseEnd = 0
  const overdue = createDelayedCall(startWaiting, MAX_WAIT_MS)

  async function run<T>(work: () => Promise<T>): Promise<T> {
    running++
    try {
      return await work()
    } finally {
      running--
      if (running < MAX_RUNNING) startWaiting()
    }
  }

  function startWaiting(): void {
    overdue.cancel()
    const first = takeFirst()
    if (waiting.length > 0) overdue.request()
    if (first.length > 0) void run(() => writeAll(first))
  }

  /** Takes the first of those that wait, each entity once. */
  function takeFirst(): readonly Waiting<Input, Output>[] {
    const ids = new Set<string>()
    const left: Waiting<Input, Output>[] = []
    const first = waiting.filter((each) => {
      const id = idOf(each.input)
      const isTaken = ids.size < MAX_TOGETHER && (id === undefined || !ids.has(id))
      if (isTaken) ids.add(id ?? `new ${ids.size}`)
      else left.push(each)
      return isTaken
    })
    waiting = left
    return first
  }

  /** Never rejects. */
  async function writeAll(all: readonly Waiting<Input, Output>[]): Promise<void> {
    try {
      if (all.length === 1) return await writeEachAlone(all)
      const outputs = await together(all.map(({ input }) => input))
      all.forEach(({ resolve, reject }, index) => {
        const output = outputs[index]
        if (output === undefined || output instanceof ApiError) reject(output)
        else resolve(output)
      })
    } catch (error) {
      if (mayHaveCommitted(error)) return all.forEach(({ reject }) => reject(error))
      pauseEnd = clock() + PAUSE_MS
      await writeEachAlone(all)
    }
  }

  async function writeEachAlone(all: readonly Waiting<Input, Output>[]): Promise<void> {
    await Promise.all(all.map(({ input, resolve, reject }) => alone(input).then(resolve, reject)))
  }

  return {
    write(input) {
      if (clock() < pauseEnd) return alone(input)
      if (running < MAX_RUNNING) return run(() => alone(input))
      return new Promise((resolve, reject) => {
        waiting.push({ input, resolve, reject })
        overdue.request()
      })
    },
  }
}

// Single creations and updates by one caller at the same time share statements.

interface Write<Operation, Input> {
  readonly operation: Operation
  readonly context: ApiContext
  readonly input: Input
}

/** Coalescers by key, for each data model, so of one version with the access of one group of members. One that is forgotten still ends its writes. */
type Coalescers<W> = WeakMap<DataModel, Lru<string, Coalescer<W, AnsweredEntity>>>
const MAX_COALESCERS = 100

type CreationWrite = Write<CreateOperation<EntityCreation>, EntityCreation>
const creations: Coalescers<CreationWrite> = new WeakMap()

/** The same as `createAlone`. */
export async function createCoalesced(
  operation: CreateOperation<EntityCreation>,
  context: ApiContext,
  input: EntityCreation,
): Promise<AnsweredEntity> {
  const key = coalescingKey(operation, context, input.values)
  if (key === undefined) return createAlone(operation, context, input)
  return coalescerOf(creations, context.model, key, CREATION_STEPS).write({ operation, context, input })
}

const CREATION_STEPS: CoalescerSteps<CreationWrite, AnsweredEntity> = {
  idOf: () => undefined,
  alone: ({ operation, context, input }) => createAlone(operation, context, input),
  together: (writes) => writeTogether(writes, createOnce),
}

type UpdateWrite = Write<UpdateOperation<EntityUpdate>, EntityUpdate>
const updates: Coalescers<UpdateWrite> = new WeakMap()

/** The same as `updateAlone`. */
export async function updateCoalesced(
  operation: UpdateOperation<EntityUpdate>,
  context: ApiContext,
  input: EntityUpdate,
): Promise<AnsweredEntity> {
  // A unique value may be one that another transaction adds, for which a statement would wait.
  const canShare = (attribute: Attribute) => !attribute.is_unique
  const key = isUuid(input.id) ? coalescingKey(operation, context, input.values, canShare) : undefined
  if (key === undefined) return updateAlone(operation, context, input)
  const coalescer = coalescerOf(updates, context.model, `${key} ${input.multiselectWrite}`, UPDATE_STEPS)
  return coalescer.write({ operation, context, input })
}

const UPDATE_STEPS: CoalescerSteps<UpdateWrite, AnsweredEntity> = {
  idOf: ({ operation, input }) => operation.idOf(input),
  alone: ({ operation, context, input }) => updateAlone(operation, context, input),
  together: (writes) => writeTogether(writes, updateOnce),
}

/** All writes have the same data model, actor and entity type. */
async function writeTogether<Operation extends CreateOperation<never> | UpdateOperation<never>, Input>(
  writes: readonly Write<Operation, Input>[],
  writeOnce: (operation: Operation, context: ApiContext, inputs: readonly Input[]) => Promise<readonly Outcome[]>,
): Promise<readonly (AnsweredEntity | ApiError)[]> {
  const [first] = writes
  if (!first) return []
  const { operation, context } = first
  const entityType = operation.entityTypeOf(context)
  const outcomes = await writeOnce(
    operation,
    context,
    writes.map(({ input }) => input),
  )
  return outcomes.map((outcome, index) => {
    if ('refusal' in outcome) return outcome.refusal
    if (outcome.row === undefined) throw new Error('The statement returns the row of each entity.')
    return operation.answer((writes[index] ?? first).context, entityType, outcome.row)
  })
}

function coalescerOf<W>(
  coalescers: Coalescers<W>,
  model: DataModel,
  key: string,
  steps: CoalescerSteps<W, AnsweredEntity>,
): Coalescer<W, AnsweredEntity> {
  const ofModel = coalescers.get(model) ?? createLru<string, Coalescer<W, AnsweredEntity>>(MAX_COALESCERS)
  coalescers.set(model, ofModel)
  const coalescer = ofModel.get(key) ?? createCoalescer(steps)
  ofModel.set(key, coalescer)
  return coalescer
}

/** A longer body has large values, which would make a statement of many writes too large. */
const MAX_VALUES_LENGTH = 10_000

/**
 * Writes with the same key may share a statement: one actor assigns values of the same attributes, which belong to their entities alone.
 * Undefined for a write that is part of a transaction, or that locks other entities. Throws 404 and 403 for the entity type.
 */
function coalescingKey(
  { entityTypeOf }: Pick<CreateOperation<never>, 'entityTypeOf'>,
  context: ApiContext,
  values: Readonly<Record<string, unknown>>,
  canShare: (attribute: Attribute) => boolean = () => true,
): string | undefined {
  const { db, model, actor } = context
  // The statements of a write with a trace are those of its trace alone.
  if (currentScope()?.trace !== undefined) return undefined
  if (db.isInTransaction || (actor !== SYSTEM_ACTOR && !model.actors.has(actor))) return undefined
  const entityType = entityTypeOf(context)
  const attributes = attributesNamed(entityType, values)
  if (!attributes.every((attribute) => isOwn(attribute) && canShare(attribute))) return undefined
  if (JSON.stringify(values).length > MAX_VALUES_LENGTH) return undefined
  const numbers = attributes.map(({ number }) => number).sort((a, b) => a - b)
  return `${actor} ${entityType.id} ${numbers.join()}`
}

/** Whether the values name no other entity. */
const isOwn = (attribute: Attribute): boolean =>
  attribute.stored_in === 'columns' && !storesReferences(attribute) && attribute.relationship_attribute_id === null
