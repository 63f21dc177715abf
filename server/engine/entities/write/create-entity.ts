/** Creates an entity: a record or an entry. */

import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { eventOriginOf } from '#engine/outbox/outbox'
import { asOutboxWriter } from '#engine/outbox/outbox-writers'
import type { Row } from '#engine/storage/layout'
import { type Parent, parentTarget } from '#engine/storage/parent'
import { joinTargets, referenceTargetsOf, VersionConflict } from '#engine/storage/preconditions'
import type { Stamp } from '#engine/storage/provenance'
import { findRow } from '#engine/storage/read-entities'
import { insertEntity } from '#engine/storage/statements/insert-entity'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import { releaseTargets, mayChangeOtherEntities, writeDerived } from '#engine/entities/relationships/relationships'
import { distinctValues } from './apply-values'
import { eventsOfCreation, joinRepeated, withoutRecords } from './change-events'
import type { Assignment } from './parse-values'
import { requireWritableSides } from './require-writable'
import { serialiseWrites } from './serialise-writes'

/** The id and the values of an entity to be created. */
export interface NewContents {
  readonly id: string
  readonly assignments: readonly Assignment[]
  /** Only of an entry. */
  readonly parent?: Parent
}

/**
 * Creates one entity with its values, unique keys and relationships, and returns its row for its renderer. It takes one
 * statement unless a relationship changes other entities. Throws `VersionConflict` and `UniqueKeyConflict`.
 */
export async function createEntity(
  context: RequestContext,
  entityType: EntityType,
  contents: NewContents,
): Promise<Row> {
  const { model, db } = context
  const filled = contents.assignments.filter(({ values }) => values.length > 0)
  requireWritableSides(model, filled)
  if (filled.some(({ attribute }) => mayChangeOtherEntities(model, attribute))) {
    return serialiseWrites(context, (tx) => createWithOthers(tx, context, entityType, contents))
  }
  return asOutboxWriter(db, model.workspace.id, () =>
    insertOne(db.sql, context, entityType, contents, { now: context.now(), actor: context.actor }),
  )
}

/** The same in several steps, which also change other entities. */
async function createWithOthers(
  tx: Transaction,
  context: RequestContext,
  entityType: EntityType,
  contents: NewContents,
): Promise<Row> {
  const { model } = context
  const { id, assignments } = contents
  const stamp = { now: context.now(), actor: context.actor }
  const write = { tx, model, stamp, events: [] }
  const own: ChangeEvent[] = []
  await releaseTargets(write, id, assignments)
  await insertOne(tx, context, entityType, contents, stamp, own)
  for (const assignment of assignments) {
    if (assignment.attribute.stored_in === 'partner') await writeDerived(write, id, assignment, 'overwrite')
  }
  const events = joinRepeated([...own, ...withoutRecords(write.events, [id])])
  await appendEntityEvents(tx, model, { origin: eventOriginOf(context, stamp.now), events })
  const row = await findRow(tx, model, entityType, id)
  if (!row) throw new VersionConflict()
  return row
}

/** Inserts the values that are stored in the entity's own columns. With `gathered`, the caller appends the events to the outbox. */
async function insertOne(
  db: Sql | Transaction,
  { model, importId }: RequestContext,
  entityType: EntityType,
  { id, assignments, parent }: NewContents,
  stamp: Stamp,
  gathered?: ChangeEvent[],
): Promise<Row> {
  const own = assignments.filter(({ attribute, values }) => attribute.stored_in === 'columns' && values.length > 0)
  const contents = own.map(({ attribute, values }) => ({ attribute, values: distinctValues(attribute, values) }))
  const created = { at: stamp.now, actor: stamp.actor }
  const targets = joinTargets([...referenceTargetsOf(model, assignments), ...(parent ? [parentTarget(parent)] : [])])
  const events = eventsOfCreation(model, entityType, { id, parentRecordId: parent?.recordId }, contents)
  gathered?.push(...events)
  const outbox = gathered ? undefined : { origin: created, events }
  const entity = { id, created, contents, parent }
  return insertEntity(db, model, entityType, { entity, targets, answer: 'row', outbox, importId })
}
