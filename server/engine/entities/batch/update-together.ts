/**
 * Updates several entities as if one request after the other updated each, with one statement that reads them and one that
 * writes them. An update that is refused does not keep the others from being written. Decision 0130.
 */

import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import { asOutboxWriter } from '#engine/outbox/outbox-writers'
import type { EntityChange } from '#engine/storage/entity-change'
import { idOf, type Row } from '#engine/storage/layout'
import { joinTargets, VersionConflict } from '#engine/storage/preconditions'
import type { Stamp } from '#engine/storage/provenance'
import { findRows } from '#engine/storage/read-entities'
import { storesReferences } from '#engine/storage/references'
import { updateMany } from '#engine/storage/statements/update-many'
import { UniqueKeyConflict } from '#engine/storage/unique-keys'
import { attributesNamed } from '#engine/entities/write/assignments'
import { FIRST_TRY, retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import type { Answer, Outcome, WrittenTogether } from './outcome'
import { planEach, type Planned, refuseTaken, type Try, type UpdateTogether } from './plan-updates'

/**
 * Updates the entities of as many of the first inputs as one statement can. An input that may name an entity by a unique value that
 * an earlier one changes ends them.
 */
export function updateTogether<C extends RequestContext, Input>(
  context: C,
  all: readonly Input[],
  steps: UpdateTogether<C, Input>,
): Promise<WrittenTogether<C>> {
  let isConflicting = false
  return retryOnConflict(context, async (context, writeTry) => {
    // Other writers change one of the entities again and again. A single update locks it.
    if (writeTry.locking) return { outcomes: [], context }
    const inputs = firstInputs(steps.entityTypeOf(context), all, steps)
    try {
      const outcomes = await updateAll(context, inputs, { steps, writeTry, isConflicting, skipsLocked: false })
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
export const updateOnce = <C extends RequestContext, Input>(
  context: C,
  inputs: readonly Input[],
  steps: UpdateTogether<C, Input>,
): Promise<readonly Outcome[]> =>
  updateAll(context, inputs, { steps, writeTry: FIRST_TRY, isConflicting: false, skipsLocked: true })

async function updateAll<C extends RequestContext, Input>(
  context: C,
  inputs: readonly Input[],
  { steps, writeTry, isConflicting, skipsLocked }: Omit<Try<C, Input>, 'stamp'> & TryOptions,
): Promise<readonly Outcome[]> {
  const entityType = steps.entityTypeOf(context)
  const stamp = { now: context.now(), actor: context.actor }
  const read = await planEach(context, entityType, inputs, { steps, writeTry, stamp })
  const planned = await refuseTaken(context, entityType, read, isConflicting)
  const rows = await write(context, entityType, planned, { stamp, answer: steps.answer, skipsLocked })
  return planned.map((each) => outcomeOf(each, rows))
}

interface TryOptions {
  readonly isConflicting: boolean
  /** Whether the statement writes nothing, instead of waiting, while another transaction has locked one of the rows. */
  readonly skipsLocked: boolean
}

/** The inputs before the first one that may name an entity by a unique value which an input before it changes. */
function firstInputs<C extends RequestContext, Input>(
  entityType: EntityType,
  inputs: readonly Input[],
  { valuesOf }: UpdateTogether<C, Input>,
): readonly Input[] {
  let isAnyUnique = false
  const end = inputs.findIndex((input) => {
    const attributes = attributesNamed(entityType, valuesOf(input))
    if (isAnyUnique && attributes.some(storesReferences)) return true
    isAnyUnique ||= attributes.some(({ is_unique }) => is_unique)
    return false
  })
  return end < 0 ? inputs : inputs.slice(0, end)
}

interface WriteOptions extends Pick<TryOptions, 'skipsLocked'> {
  readonly stamp: Stamp
  readonly answer: Answer
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
