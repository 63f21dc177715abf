/** Updates the values of one entity, with its unique keys, history and relationships. */

import { type Sql, type Transaction, runOnLookupPool } from '#db/connect'
import type { RequestContext } from '#context'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { asOutboxWriter, eventOriginOf } from '#engine/outbox/outbox'
import { type Row, getPartner } from '#engine/storage/layout'
import { findEntity, findRow, lockEntities, type StoredEntity } from '#engine/storage/read-entities'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import { findReferringIds } from '#engine/storage/statements/reference-statements'
import {
  mayChangeOtherEntities,
  releaseTargets,
  writeDerived,
  type WriteTransaction,
} from '#engine/entities/relationships/relationships'
import { changeEntity } from '#engine/storage/statements/update-entities'
import { eventsOfChange, joinRepeated, putOwnFirst } from './change-events'
import { serialiseWrites } from './retry-on-conflict'
import type { ChangeEvent } from '#vocabulary/event-types'
import { type AttributeChange, applyValues, type MultiselectWrite } from '#engine/storage/entity-change'
import { type ReferenceTargets, referenceTargetsOf } from '#engine/storage/preconditions'
import type { Stamp } from '#engine/storage/provenance'
import { type Assignment, requireTouched, requireWritableSides } from './parse-values'

/** Decides what a write assigns, from the entity as it was read. */
type Decide = (db: Sql | Transaction, entity: StoredEntity) => Promise<Update>

/** The entity that a write reads before it decides what to assign. */
interface EntityWrite {
  readonly context: RequestContext
  readonly entityType: EntityType
  readonly id: string
  /** Locks the row before it reads it. */
  readonly locking: boolean
  /** The entity, if the caller has read it. */
  readonly found?: StoredEntity
  /** The attributes that the write may assign, if the caller knows them. No others are read. */
  readonly attributes?: readonly Attribute[]
}

/**
 * Reads an entity, writes what `decide` assigns, and returns the new row; undefined if the entity does not exist. A write
 * that changes nothing leaves the version, the history and the feed as they are.
 * Throws `VersionConflict` and `UniqueKeyConflict`.
 */
export async function writeEntity(
  { context, entityType, id, locking, found, attributes }: EntityWrite,
  decide: Decide,
): Promise<Row | undefined> {
  const writeInSteps = () => serialiseWrites(context, (tx) => updateWithOthers(tx, context, { entityType, id }, decide))
  if (locking) return writeInSteps()
  const { sql } = context.db
  const read = (on: Sql) => findEntity(on, context.model, entityType, id, attributes)
  const entity = found ?? (await runOnLookupPool(context.db, read))
  if (!entity) return undefined
  const update = await decide(sql, entity)
  requireWritableSides(context.model, update.assignments)
  if (update.assignments.some(({ attribute }) => mayChangeOtherEntities(context.model, attribute)))
    return writeInSteps()
  return asOutboxWriter(context.db, context.model.workspace.id, () =>
    applyUpdate(sql, context, entityType, entity, update),
  )
}

/** Updates a locked entity in several steps, which also change other entities. */
async function updateWithOthers(
  tx: Transaction,
  context: RequestContext,
  { entityType, id }: Pick<EntityWrite, 'entityType' | 'id'>,
  decide: Decide,
): Promise<Row | undefined> {
  const { model, actor } = context
  const [entity] = await lockEntities(tx, model, entityType, [id])
  if (!entity) return undefined
  const update = await decide(tx, entity)
  requireWritableSides(model, update.assignments)
  const write = { tx, model, stamp: { now: context.now(), actor }, events: [] }
  await requireDerived(write, entity, update)
  await releaseTargets(write, id, update.assignments)
  await applyUpdate(tx, context, entityType, entity, update, write)
  for (const assignment of update.assignments) {
    if (assignment.attribute.stored_in === 'partner')
      await writeDerived(write, id, assignment, update.multiselectWriteOf(assignment))
  }
  // Also if only other entities changed.
  await context.writeLog?.storeUpdate(tx, model, entityType, { id, writtenAt: write.stamp.now })
  const events = joinRepeated(putOwnFirst(write.events, id, update.assignments))
  await appendEntityEvents(tx, model, { origin: eventOriginOf(context, write.stamp.now), events })
  return findRow(tx, model, entityType, id)
}

/** Writes the values that are stored in the entity's own columns. `write` gathers the events if there are further steps. */
async function applyUpdate(
  db: Sql | Transaction,
  context: RequestContext,
  entityType: EntityType,
  entity: StoredEntity,
  update: Update,
  write?: WriteTransaction,
): Promise<Row | undefined> {
  const { model, actor } = context
  const stamp = write?.stamp ?? { now: context.now(), actor }
  const { changes, events, targets } = planUpdate(model, entityType, entity, { ...update, stamp })
  write?.events?.push(...events)
  const outbox = write ? undefined : { origin: { at: stamp.now, actor }, events }
  const row = await changeEntity(
    db,
    model,
    entityType,
    entity,
    { changes, targets, outbox, isRefresh: update.isRefresh, furtherStep: context.writeLog?.ofUpdate(changes) },
    stamp,
  )
  return row ?? (await findRow(db, model, entityType, entity.id))
}

/** Refuses to empty a required attribute that is derived from its partner. */
async function requireDerived(
  { tx, model }: WriteTransaction,
  entity: StoredEntity,
  { assignments, multiselectWriteOf }: Update,
): Promise<void> {
  for (const assignment of assignments) {
    const { attribute, values } = assignment
    if (!attribute.is_required || attribute.stored_in !== 'partner' || values.length > 0) continue
    const appends = multiselectWriteOf(assignment) === 'append' && attribute.is_multiselect
    const current = appends ? await findReferringIds(tx, model, getPartner(model, attribute).attribute, entity.id) : []
    requireTouched([assignment], () => current.length > 0)
  }
}

// Computes what an update writes to the columns of one entity, and its change events.

/** What a write assigns to an entity. */
export interface Update {
  readonly assignments: readonly Assignment[]
  /** How a multiselect takes its values. */
  readonly multiselectWriteOf: (assignment: Assignment) => MultiselectWrite
  /** Whether the attributes are computed, so that clients see neither a new version nor a later `updated_at`. */
  readonly isRefresh?: boolean
}

interface PlannedUpdate {
  readonly changes: readonly AttributeChange[]
  readonly events: readonly ChangeEvent[]
  readonly targets: readonly ReferenceTargets[]
}

/** Throws 400 when a required attribute would have no value. */
export function planUpdate(
  model: DataModel,
  entityType: EntityType,
  entity: StoredEntity,
  { assignments, multiselectWriteOf, stamp }: Update & { readonly stamp: Stamp },
): PlannedUpdate {
  const own = assignments.filter(({ attribute }) => attribute.stored_in === 'columns')
  const changes = own.map((assignment): AttributeChange => {
    const { attribute, values } = assignment
    const before = entity.valuesOf(attribute)
    return { attribute, before, after: applyValues(attribute, before, values, multiselectWriteOf(assignment), stamp) }
  })
  requireTouched(own, ({ attribute }) =>
    changes.some((change) => change.attribute === attribute && change.after.length > 0),
  )
  const events = eventsOfChange(model, entityType, entity, changes)
  return { changes, events, targets: referenceTargetsOf(model, own) }
}
