/**
 * Coalesces writes: those that arrive while others run wait for them, and then share one statement, so one commit. A write that
 * finds no other one runs at once. See docs/decisions/batches.md.
 */

import { ApiError } from '#base/errors/api-error'
import { mayHaveCommitted } from '#base/errors/database'
import { createDelayedCall } from '#base/timing/wait'
import { createLru, type Lru } from '#base/caching/caching'
import type { RequestContext } from '#context'
import { type Attribute, type DataModel, type EntityType, SYSTEM_ACTOR } from '#engine/data-model/model'
import { storesReferences } from '#engine/storage/references'
import { attributesNamed } from '#engine/entities/write/assignments'

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

// The coalescers of a data model, so of one version with the access of one group of members.

/** Coalescers by key, for each data model. One that is forgotten still ends its writes. */
export type Coalescers<Input, Output> = WeakMap<DataModel, Lru<string, Coalescer<Input, Output>>>

const MAX_COALESCERS = 100

export function coalescerOf<Input, Output>(
  coalescers: Coalescers<Input, Output>,
  model: DataModel,
  key: string,
  create: () => Coalescer<Input, Output>,
): Coalescer<Input, Output> {
  const ofModel = coalescers.get(model) ?? createLru<string, Coalescer<Input, Output>>(MAX_COALESCERS)
  coalescers.set(model, ofModel)
  const coalescer = ofModel.get(key) ?? create()
  ofModel.set(key, coalescer)
  return coalescer
}

/** A longer body has large values, which would make a statement of many writes too large. */
const MAX_VALUES_LENGTH = 10_000

/**
 * Writes with the same key may share a statement: one actor assigns values of the same attributes, which belong to their entities alone.
 * Undefined for a write that is part of a transaction, or that locks other entities.
 */
export function coalescingKey(
  { db, model, actor }: RequestContext,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
): string | undefined {
  if (db.isInTransaction || (actor !== SYSTEM_ACTOR && !model.actors.has(actor))) return undefined
  const attributes = attributesNamed(entityType, values)
  if (!attributes.every(isOwn) || JSON.stringify(values).length > MAX_VALUES_LENGTH) return undefined
  const numbers = attributes.map(({ number }) => number).sort((a, b) => a - b)
  return `${actor} ${entityType.id} ${numbers.join()}`
}

/** Whether the values name no other entity. */
const isOwn = (attribute: Attribute): boolean =>
  attribute.stored_in === 'columns' && !storesReferences(attribute) && attribute.relationship_attribute_id === null
