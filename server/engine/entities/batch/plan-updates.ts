/** Computes several updates that share a statement, and refuses those that cannot be written. */

import type { RequestContext } from '#context'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { ApiError, refusalOf } from '#base/errors/api-error'
import type { ChangeEvent } from '#vocabulary/event-types'
import { type EntityChange, entityChange } from '#engine/storage/entity-change'
import type { ReferenceTargets } from '#engine/storage/preconditions'
import { storedIn, type Stamp } from '#engine/storage/provenance'
import { findEntities, type StoredEntity } from '#engine/storage/read-entities'
import { type TakenKey, uniqueKeys } from '#engine/storage/unique-keys'
import { attributesNamed } from '#engine/entities/write/assignments'
import { planUpdate, type Update } from '#engine/entities/write/plan-update'
import { requireWritableSides } from '#engine/entities/write/require-writable'
import type { WriteTry } from '#engine/entities/write/retry-on-conflict'
import type { Answer } from './outcome'
import { readInOrder } from './read-in-order'
import { type KeyMove, refuseConflicting } from './refuse-conflicting'

export interface UpdateTogether<C extends RequestContext, Input> {
  entityTypeOf(context: C): EntityType
  /** Each input has another id. */
  idOf(input: Input): string
  valuesOf(input: Input): Readonly<Record<string, unknown>>
  /** Reads the values of one update. Throws `ApiError`. */
  decide(context: C, input: Input, entity: StoredEntity, writeTry: WriteTry): Promise<Update>
  /** The error for an entity that does not exist. */
  missing(context: C, id: string): Promise<ApiError>
  readonly answer: Answer
}

/** An update that was computed and not refused. */
export interface Planned extends KeyMove {
  readonly entity: StoredEntity
  /** Undefined if nothing differs. */
  readonly change: EntityChange | undefined
  readonly events: readonly ChangeEvent[]
  readonly targets: readonly ReferenceTargets[]
}

export interface Try<C extends RequestContext, Input> {
  readonly steps: UpdateTogether<C, Input>
  readonly writeTry: WriteTry
  readonly stamp: Stamp
}

/** Reads the entities and computes each update, or the reason to refuse it. */
export async function planEach<C extends RequestContext, Input>(
  context: C,
  entityType: EntityType,
  inputs: readonly Input[],
  { steps, writeTry, stamp }: Try<C, Input>,
): Promise<(Planned | ApiError)[]> {
  const { db, model } = context
  const ids = inputs.map(steps.idOf)
  const entities = await findEntities(db.sql, model, entityType, ids, attributesOfAll(entityType, inputs, steps))
  const planOne = async (input: Input, writeTry: WriteTry): Promise<Planned> => {
    const entity = entities.get(steps.idOf(input))
    if (!entity) throw await steps.missing(context, steps.idOf(input))
    const update = await steps.decide(context, input, entity, writeTry)
    requireWritableSides(model, update.assignments)
    const { changes, events, targets } = planUpdate(model, entityType, entity, { ...update, stamp })
    const change = entityChange(entity, changes, stamp)
    const owned = (keys: EntityChange['added'] = []) => keys.map((key) => ({ ...key, entity_id: entity.id }))
    return { entity, change, events, targets, removed: owned(change?.removed), added: owned(change?.added) }
  }
  const planned: (Planned | ApiError)[] = []
  for (const input of inputs) {
    planned.push(await readInOrder(writeTry, (current) => planOne(input, current)).catch(refusalOf))
  }
  return planned
}

/** In the order of their numbers, so that the statement is the same for more batches. */
const attributesOfAll = <C extends RequestContext, Input>(
  entityType: EntityType,
  inputs: readonly Input[],
  { valuesOf }: UpdateTogether<C, Input>,
): Attribute[] => {
  const attributes = new Set(inputs.flatMap((input) => attributesNamed(entityType, valuesOf(input))))
  return [...attributes].toSorted((a, b) => a.number - b.number)
}

/** Refuses updates that add a unique key of another entity. The keys that entities lose are free for the updates after them. */
export async function refuseTaken(
  context: RequestContext,
  { attributes }: EntityType,
  planned: readonly (Planned | ApiError)[],
  isConflicting: boolean,
): Promise<(Planned | ApiError)[]> {
  const accepted = planned.filter((each): each is Planned => !(each instanceof ApiError))
  const changed = new Set(accepted.flatMap(({ change }) => change?.attributes ?? []))
  const unique = attributes.filter((attribute) => attribute.is_unique && changed.has(attribute))
  const known = accepted.flatMap(({ entity }) => keysOf(entity, unique))
  const moves = planned.map((each) => (each instanceof ApiError ? NO_MOVE : each))
  const refusals = await refuseConflicting(context, moves, { known, isConflicting })
  return planned.map((each, index) => refusals[index] ?? each)
}

const NO_MOVE: KeyMove = { removed: [], added: [] }

const keysOf = (entity: StoredEntity, unique: readonly Attribute[]): TakenKey[] =>
  unique.flatMap((attribute) =>
    uniqueKeys(attribute, storedIn(entity.valuesOf(attribute))).map((key) => ({ ...key, entity_id: entity.id })),
  )
