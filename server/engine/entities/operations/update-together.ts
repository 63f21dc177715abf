/**
 * Updates several entities as if one request after the other updated each, with one statement that reads them and one that
 * writes them. An update that is refused does not keep the others from being written. See docs/decisions/batches.md.
 */

import type { ApiContext, RequestContext } from '#context'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { ApiError, refusalOf } from '#base/errors/api-error'
import { asOutboxWriter } from '#engine/outbox/outbox'
import { type AttributeChange, type EntityChange, entityChange } from '#engine/storage/entity-change'
import { idOf, type Row, storesReferences } from '#engine/storage/layout'
import { joinTargets, type ReferenceTargets, VersionConflict } from '#engine/storage/preconditions'
import { type Stamp, storedIn } from '#engine/storage/provenance'
import { findEntities, findRows, type StoredEntity } from '#engine/storage/read-entities'
import { updateMany } from '#engine/storage/statements/update-entities'
import { type TakenKey, UniqueKeyConflict, uniqueKeys } from '#engine/storage/unique-keys'
import { attributesNamed, requireWritableSides } from '#engine/entities/write/parse-values'
import { FIRST_TRY, readInOrder, retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { otherEntityTypeOf } from '#engine/data-model/find'
import { mayChangeOtherEntities } from '#engine/entities/relationships/relationships'
import type { ChangeEvent } from '#vocabulary/event-types'
import { planUpdate } from '#engine/entities/write/update-entity'
import type { UpdateOperation } from './definitions'
import { type Answer, type KeyMove, type Outcome, refuseConflicting, type WrittenTogether } from './together'

/**
 * Updates the entities of as many of the first inputs as one statement can. An input that may name an entity by a unique value that
 * an earlier one changes ends them.
 */
export function updateTogether<Input>(
  update: UpdateOperation<Input>,
  context: ApiContext,
  all: readonly Input[],
  answer: Answer,
): Promise<WrittenTogether> {
  let isConflicting = false
  return retryOnConflict(context, async (context, writeTry) => {
    // Other writers change one of the entities again and again. A single update locks it.
    if (writeTry.locking) return { outcomes: [], context }
    const inputs = firstInputs(update, context, all)
    try {
      const outcomes = await updateAll(update, context, inputs, { answer, writeTry, isConflicting, skipsLocked: false })
      return { outcomes, context }
    } catch (error) {
      if (!(error instanceof UniqueKeyConflict)) throw error
      // The next try finds out which entities conflict.
      isConflicting = true
      throw new VersionConflict()
    }
  })
}

/** Updates all entities or none in one try, which waits for no other writer of them. Throws if it updates none. */
export const updateOnce = <Input>(
  update: UpdateOperation<Input>,
  context: ApiContext,
  inputs: readonly Input[],
): Promise<readonly Outcome[]> =>
  updateAll(update, context, inputs, {
    answer: 'rows',
    writeTry: FIRST_TRY,
    isConflicting: false,
    skipsLocked: true,
  })

async function updateAll<Input>(
  update: UpdateOperation<Input>,
  context: ApiContext,
  inputs: readonly Input[],
  { answer, writeTry, isConflicting, skipsLocked }: TryOptions,
): Promise<readonly Outcome[]> {
  const entityType = update.entityTypeOf(context)
  const stamp = { now: context.now(), actor: context.actor }
  const read = await planEach(update, context, inputs, { writeTry, stamp })
  const planned = await refuseTaken(context, entityType, read, isConflicting)
  const rows = await write(context, entityType, planned, { stamp, answer, skipsLocked })
  return planned.map((each) => outcomeOf(each, rows))
}

interface TryOptions {
  readonly answer: Answer
  readonly writeTry: WriteTry
  readonly isConflicting: boolean
  /** Whether the statement writes nothing, instead of waiting, while another transaction has locked one of the rows. */
  readonly skipsLocked: boolean
}

/** The inputs before the first one that may name an entity by a unique value which an input before it changes. */
function firstInputs<Input>(
  { entityTypeOf, valuesOf }: UpdateOperation<Input>,
  context: ApiContext,
  inputs: readonly Input[],
): readonly Input[] {
  const entityType = entityTypeOf(context)
  let isAnyUnique = false
  const end = inputs.findIndex((input) => {
    const attributes = attributesNamed(entityType, valuesOf(input))
    if (isAnyUnique && attributes.some(storesReferences)) return true
    isAnyUnique ||= attributes.some(({ is_unique }) => is_unique)
    return false
  })
  return end < 0 ? inputs : inputs.slice(0, end)
}

interface WriteOptions extends Pick<TryOptions, 'answer' | 'skipsLocked'> {
  readonly stamp: Stamp
}

/** Returns the rows by id if they are asked for. */
async function write(
  context: RequestContext,
  entityType: EntityType,
  planned: readonly (Planned | ApiError)[],
  { stamp, answer, skipsLocked }: WriteOptions,
): Promise<ReadonlyMap<string, Row>> {
  const { db, model } = context
  const accepted = planned.filter((each): each is Planned => !(each instanceof ApiError))
  const changed = accepted.filter((each): each is Planned & { change: EntityChange } => each.change !== undefined)
  const update = {
    updates: changed,
    targets: joinTargets(changed.flatMap(({ targets }) => targets)),
    stamp,
    skipsLocked,
    outbox: { origin: { at: stamp.now, actor: stamp.actor }, events: changed.flatMap(({ events }) => events) },
    answer,
    furtherStep: context.writeLog?.ofUpdates(changed.map(({ changes }) => changes)),
  }
  // Before the write, because the next try would not repeat what was written.
  const unchanged = accepted.flatMap(({ entity, change }) => (change === undefined ? [entity.id] : []))
  const others = answer === 'rows' ? await findRows(db.sql, model, entityType, unchanged) : []
  if (answer === 'rows' && others.length < unchanged.length) throw new VersionConflict()
  const rows =
    changed.length > 0
      ? await asOutboxWriter(db, model.workspace.id, () => updateMany(db.sql, model, entityType, update))
      : []
  return new Map([...rows, ...others].map((row) => [idOf(row), row]))
}

const outcomeOf = (planned: Planned | ApiError, rows: ReadonlyMap<string, Row>): Outcome =>
  planned instanceof ApiError ? { refusal: planned } : { id: planned.entity.id, row: rows.get(planned.entity.id) }

/** Whether a write of these values changes no other entity, nor what answers show of another one of the entity type. */
export function isIndependent(
  model: DataModel,
  entityType: EntityType,
  values: Readonly<Record<string, unknown>>,
): boolean {
  for (const attribute of attributesNamed(entityType, values))
    if (mayChangeOtherEntities(model, attribute) || isWithin(model, entityType, attribute)) return false
  return true
}

/** Whether an attribute is one side of a relationship of which the entity type has both sides. */
const isWithin = (model: DataModel, entityType: EntityType, attribute: Attribute): boolean =>
  otherEntityTypeOf(model, attribute)?.id === entityType.id

/** An update that was computed and not refused. */
interface Planned extends KeyMove {
  readonly entity: StoredEntity
  /** Undefined if nothing differs. */
  readonly change: EntityChange | undefined
  readonly changes: readonly AttributeChange[]
  readonly events: readonly ChangeEvent[]
  readonly targets: readonly ReferenceTargets[]
}

/** Reads the entities and computes each update, or the reason to refuse it. */
async function planEach<Input>(
  update: UpdateOperation<Input>,
  context: ApiContext,
  inputs: readonly Input[],
  { writeTry, stamp }: Pick<TryOptions, 'writeTry'> & Pick<WriteOptions, 'stamp'>,
): Promise<(Planned | ApiError)[]> {
  const { db, model } = context
  const entityType = update.entityTypeOf(context)
  const attributes = attributesOfAll(entityType, inputs.map(update.valuesOf))
  const entities = await findEntities(db.sql, model, entityType, inputs.map(update.idOf), attributes)
  const planOne = async (input: Input, writeTry: WriteTry): Promise<Planned> => {
    const id = update.idOf(input)
    const entity = entities.get(id)
    if (!entity) throw await update.missing(context, entityType, id)
    const decided = await update.decide(context, entityType, input, { entity, writeTry })
    requireWritableSides(model, decided.assignments)
    const { changes, events, targets } = planUpdate(model, entityType, entity, { ...decided, stamp })
    const change = entityChange(entity, changes, stamp)
    return { entity, change, changes, events, targets, ...ownedKeys(entity, change) }
  }
  const planned: (Planned | ApiError)[] = []
  for (const input of inputs) {
    planned.push(await readInOrder(writeTry, (current) => planOne(input, current)).catch(refusalOf))
  }
  return planned
}

function ownedKeys({ id: entity_id }: StoredEntity, change: EntityChange | undefined): KeyMove {
  if (change === undefined || change.removed.length + change.added.length === 0) return NO_MOVE
  const owned = (keys: EntityChange['added']) => keys.map((key) => ({ ...key, entity_id }))
  return { removed: owned(change.removed), added: owned(change.added) }
}

/** In the order of their numbers, so that the statement is the same for more batches. */
const attributesOfAll = (entityType: EntityType, all: readonly Readonly<Record<string, unknown>>[]): Attribute[] => {
  const attributes = new Set(all.flatMap((values) => attributesNamed(entityType, values)))
  return [...attributes].toSorted((a, b) => a.number - b.number)
}

/** Refuses updates that add a unique key of another entity. The keys that entities lose are free for the updates after them. */
async function refuseTaken(
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
