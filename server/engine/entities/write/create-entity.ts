/** Creates an entity: a record or an entry. */

import type { Sql, Transaction } from '#db/connect'
import type { RequestContext } from '#context'
import { type Attribute, type DataModel, type EntityType, UnusedEntityType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { asOutboxWriter, eventOriginOf } from '#engine/outbox/outbox'
import { type Row, storesReferences } from '#engine/storage/layout'
import { joinTargets, type ReferenceTargets, referenceTargetsOf, VersionConflict } from '#engine/storage/preconditions'
import type { Stamp } from '#engine/storage/provenance'
import { findRow, type Parent, parentTarget } from '#engine/storage/read-entities'
import { appendEntityEvents } from '#engine/storage/statements/outbox-step'
import { mayChangeOtherEntities, releaseTargets, writeDerived } from '#engine/entities/relationships/relationships'
import { distinctValues } from '#engine/storage/entity-change'
import { addPartnerEvents, eventsOfCreation, joinRepeated, withoutRecords } from './change-events'
import { type Assignment, requireWritableSides } from './parse-values'
import { serialiseWrites } from './retry-on-conflict'
import type { NewRow } from '#engine/storage/rows-text'
import type { WriteLog } from '#engine/storage/write-log'
import { insertEntity, prepareInsert } from '#engine/storage/statements/insert-entities'

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
  requireUsed(entityType)
  const filled = contents.assignments.filter(({ values }) => values.length > 0)
  requireWritableSides(model, filled)
  if (filled.some(({ attribute }) => mayChangeOtherEntities(model, attribute))) {
    return serialiseWrites(context, (tx) => createWithOthers(tx, context, entityType, contents))
  }
  return asOutboxWriter(db, model.workspace.id, () =>
    insertOne(db.sql, context, entityType, contents, { now: context.now(), actor: context.actor }),
  )
}

/** Throws `UnusedEntityType`, which `retryOnConflict` answers by marking the entity type as used. */
function requireUsed({ id, isUnused }: EntityType): void {
  if (isUnused) throw new UnusedEntityType(id)
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
  { model, writeLog }: RequestContext,
  entityType: EntityType,
  { id, assignments, parent }: NewContents,
  stamp: Stamp,
  gathered?: ChangeEvent[],
): Promise<Row> {
  const own = assignments.filter(({ attribute, values }) => attribute.stored_in === 'columns' && values.length > 0)
  const contents = own.map(({ attribute, values }) => ({ attribute, values: distinctValues(attribute, values) }))
  const created = { at: stamp.now, actor: stamp.actor }
  const targets = joinTargets([...referenceTargetsOf(model, assignments), ...(parent ? [parentTarget(parent)] : [])])
  const events = eventsOfCreation(
    model,
    entityType,
    { id, parentRecordId: parent?.recordId, parentObject: parent?.object.number },
    contents,
  )
  gathered?.push(...events)
  const outbox = gathered ? undefined : { origin: created, events }
  const entity = { id, created, contents, parent }
  return insertEntity(db, model, entityType, {
    entity,
    targets,
    answer: 'row',
    outbox,
    furtherStep: writeLog?.ofCreation,
  })
}

// Creates many entities in one statement, which is prepared before it runs.

/** Runs what was prepared, and returns the rows if they were asked for. Throws `VersionConflict` and `UniqueKeyConflict`. */
type Create = (context: Pick<RequestContext, 'db'>) => Promise<Row[]>

interface ManyOptions {
  readonly stamp: Stamp
  readonly answer: 'rows' | 'nothing'
  /** Whether a record whose other side of a relationship gains several of the entities has one event, or one for each of them. */
  readonly partnerEvents: 'joined' | 'each'
  readonly writeLog?: WriteLog | undefined
}

/**
 * Prepares the creation of all of these entities or none, with their unique keys and change events. Leaves out derived
 * sides of relationships. Throws `ReservedCharacterError` if the entities cannot be inserted together.
 */
export function prepareMany(
  model: DataModel,
  entityType: EntityType,
  entities: readonly NewContents[],
  { stamp, answer, partnerEvents, writeLog }: ManyOptions,
): Create {
  for (const { assignments } of entities) requireWritableSides(model, assignments)
  const rows = entities.map(toRow)
  const parents = rows.flatMap(({ parent }) => parent ?? [])
  const eventsOf = (rows: readonly NewRow[]) =>
    partnerEvents === 'joined' ? joinedEvents(model, entityType, rows) : eventsOfEach(model, entityType, rows)
  const insert = prepareInsert(model, entityType, {
    rows,
    targets: joinTargets([...referenceTargetsOf(model, referencesOf(rows)), ...parentTargets(parents)]),
    stamp,
    outbox: { origin: { at: stamp.now, actor: stamp.actor }, events: eventsOf(rows) },
    answer,
    furtherStep: writeLog?.ofCreations,
  })
  return async ({ db }) => {
    requireUsed(entityType)
    return asOutboxWriter(db, model.workspace.id, () => insert(db.sql))
  }
}

/** All entries of a list have parent records of the same object. */
function parentTargets(parents: readonly Parent[]): ReferenceTargets[] {
  const [first] = parents
  return first === undefined ? [] : [{ ...parentTarget(first), ids: parents.map(({ recordId }) => recordId) }]
}

/**
 * One event for each entity, and one for each record whose other side of a relationship gained any of them.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */
function joinedEvents(model: DataModel, entityType: EntityType, rows: readonly NewRow[]): ChangeEvent[] {
  const events = eventsOfEach(
    model,
    entityType,
    rows.map((row) => ({ ...row, contents: [] })),
  )
  const gaining = new Map<Attribute, Set<string>>()
  for (const { contents } of rows) {
    for (const { attribute, values } of contents) {
      if (attribute.relationship_attribute_id === null) continue
      const ids = gaining.get(attribute) ?? new Set()
      gaining.set(attribute, ids)
      for (const { target_record_id } of values) ids.add(String(target_record_id))
    }
  }
  for (const [attribute, ids] of gaining) addPartnerEvents(events, model, attribute, ids)
  return events
}

const eventsOfEach = (model: DataModel, entityType: EntityType, rows: readonly NewRow[]): ChangeEvent[] =>
  rows.flatMap(({ id, parent, contents }) =>
    eventsOfCreation(
      model,
      entityType,
      { id, parentRecordId: parent?.recordId, parentObject: parent?.object.number },
      contents,
    ),
  )

export function toRow({ id, assignments, parent }: NewContents): NewRow {
  const contents: Assignment[] = []
  for (const assignment of assignments) {
    const { attribute, values } = assignment
    if (attribute.stored_in !== 'columns' || values.length === 0) continue
    contents.push(values.length > 1 ? { attribute, values: distinctValues(attribute, values) } : assignment)
  }
  return { id, contents, parent }
}

/** Most values are not references, so this keeps the search for targets short. */
function referencesOf(rows: readonly NewRow[]): Assignment[] {
  const references: Assignment[] = []
  for (const { contents } of rows) {
    for (const content of contents) if (storesReferences(content.attribute)) references.push(content)
  }
  return references
}
