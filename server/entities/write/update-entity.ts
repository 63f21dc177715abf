/** Updates one entity's values, with its unique keys, history and relationships. */

import type { Sql, Transaction } from '../../../db/connect'
import { runOnLookupPool } from '../../../db/lookup-pool'
import type { RequestContext } from '../../call'
import type { Attribute, EntityType } from '../../data-model/model'
import { appendToOutbox, eventOriginOf } from '../../events/outbox'
import { applyValues, type Mode } from './apply-values'
import { onUniqueKeyConflict } from './retry-on-conflict'
import type { AttributeChange } from '../../storage/entity-change'
import { requireTouched } from './defaults'
import type { Row } from '../../storage/layout'
import type { Assignment } from './parse-values'
import { findEntity, findRow, type StoredEntity, lockEntities } from '../../storage/read-entities'
import {
  entitiesReferringTo,
  releaseTargets,
  touchesOthers,
  writeDerived,
  type Writing,
} from '../relationships/relationships'
import { serialiseWrites } from './serialise-writes'
import { storedPartner } from '../../storage/layout'
import { onlyOnce, ownFirst, tellChanged } from './change-events'
import { changeEntity, claimedKeys, UniqueKeyConflict, targetsOf } from './save-change'

export interface Update {
  readonly assignments: readonly Assignment[]
  /** How a multiselect takes its values. */
  readonly modeOf: (assignment: Assignment) => Mode
}

/** What a write needs to know before it can say what it does. */
export interface EntityWriting {
  readonly context: RequestContext
  readonly entityType: EntityType
  readonly id: string
  /** Locks the row before it reads it. */
  readonly locking: boolean
  /** The entity, when it was read already. */
  readonly found?: StoredEntity
  /** Those it may write, when that is known before it reads: no others are read. */
  readonly attributes?: readonly Attribute[]
}

/**
 * Reads an entity, asks `decide` what to write to it, writes it, and answers the new row; undefined when there is no such
 * entity. A write that changes nothing leaves no trace.
 * Throws `VersionConflict` and `UniqueKeyConflict` for `attempt`.
 */
export async function writeEntity(
  { context, entityType, id, locking, found, attributes }: EntityWriting,
  decide: (db: Sql | Transaction, entity: StoredEntity) => Promise<Update>,
): Promise<Row | undefined> {
  if (locking) return inTransaction(context, entityType, id, decide)
  const { sql } = context.db
  const read = (on: Sql) => findEntity(on, context.model, entityType, id, attributes)
  const entity = found ?? (await runOnLookupPool(context.db, read))
  if (!entity) return undefined
  const update = await decide(sql, entity)
  if (update.assignments.some(({ attribute }) => touchesOthers(context.model, attribute)))
    return inTransaction(context, entityType, id, decide)
  return applyUpdate(sql, context, entityType, entity, update)
}

const inTransaction = (
  context: RequestContext,
  entityType: EntityType,
  id: string,
  decide: (db: Sql | Transaction, entity: StoredEntity) => Promise<Update>,
): Promise<Row | undefined> =>
  serialiseWrites(context, async (tx) => {
    const [entity] = await lockEntities(tx, context.model, entityType, [id])
    if (!entity) return undefined
    const update = await decide(tx, entity)
    const stamp = { now: context.now(), actor: context.actor }
    const writing = { tx, model: context.model, stamp, told: [] }
    await requireDerived(tx, context, entity, update)
    await releaseTargets(writing, id, update.assignments)
    await applyUpdate(tx, context, entityType, entity, update, writing)
    for (const assignment of update.assignments) {
      if (assignment.attribute.stored_in === 'partner')
        await writeDerived(writing, id, assignment, update.modeOf(assignment))
    }
    const told = onlyOnce(ownFirst(writing.told, id, update.assignments))
    await appendToOutbox(tx, eventOriginOf(context, stamp.now), told)
    return findRow(tx, context.model, entityType, id)
  })

/** Writes what is stored in the entity's own columns. Within steps, `writing` gathers what all of them tell. */
async function applyUpdate(
  db: Sql | Transaction,
  context: RequestContext,
  entityType: EntityType,
  entity: StoredEntity,
  { assignments, modeOf }: Update,
  writing?: Writing,
): Promise<Row | undefined> {
  const { model, actor } = context
  const now = writing?.stamp.now ?? context.now()
  const own = assignments.filter(({ attribute }) => attribute.stored_in === 'columns')
  const changes = own.map((assignment): AttributeChange => {
    const before = entity.versionsOf(assignment.attribute)
    const after = applyValues(assignment.attribute, before, assignment.values, modeOf(assignment), { now, actor })
    return { attribute: assignment.attribute, before, after }
  })
  requireTouched(own, ({ attribute }) =>
    changes.some((change) => change.attribute === attribute && change.after.length > 0),
  )
  const events = tellChanged(model, entityType, entity, changes)
  writing?.told?.push(...events)
  const told = writing ? undefined : { origin: { at: now, actor }, events }
  try {
    const changed = { changes, targets: targetsOf(model, own), told }
    const row = await changeEntity(db, model, entityType, entity, changed, { now, actor })
    return row ?? (await findRow(db, model, entityType, entity.id))
  } catch (error) {
    throw onUniqueKeyConflict(error, () => new UniqueKeyConflict(claimedKeys(changes), entity.id))
  }
}

/** Refuses to empty a required attribute that is derived from its partner. */
async function requireDerived(
  tx: Transaction,
  context: RequestContext,
  entity: StoredEntity,
  { assignments, modeOf }: Update,
): Promise<void> {
  for (const assignment of assignments) {
    const { attribute, values } = assignment
    if (!attribute.is_required || attribute.stored_in !== 'partner' || values.length > 0) continue
    const stays = modeOf(assignment) === 'append' && attribute.is_multiselect
    const current = stays
      ? await entitiesReferringTo(tx, context.model, storedPartner(context.model, attribute), entity.id)
      : []
    requireTouched([assignment], () => current.length > 0)
  }
}
