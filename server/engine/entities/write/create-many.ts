/** Creates many entities in one statement, which is prepared before it runs. */

import type { RequestContext } from '#context'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { asOutboxWriter } from '#engine/outbox/outbox-writers'
import type { Row } from '#engine/storage/layout'
import { type Parent, parentTarget } from '#engine/storage/parent'
import { joinTargets, type ReferenceTargets, referenceTargetsOf } from '#engine/storage/preconditions'
import type { Stamp } from '#engine/storage/provenance'
import { storesReferences } from '#engine/storage/references'
import type { NewRow } from '#engine/storage/rows-text'
import { prepareInsert } from '#engine/storage/statements/insert-many'
import { distinctValues } from './apply-values'
import type { NewContents } from './create-entity'
import { addPartnerEvents, eventsOfCreation } from './change-events'
import type { Assignment } from './parse-values'
import { requireWritableSides } from './require-writable'

/** Runs what was prepared, and returns the rows if they were asked for. Throws `VersionConflict` and `UniqueKeyConflict`. */
export type Create = (context: Pick<RequestContext, 'db'>) => Promise<Row[]>

interface ManyOptions {
  readonly stamp: Stamp
  readonly answer: 'rows' | 'nothing'
  /** Whether a record whose other side of a relationship gains several of the entities has one event, or one for each of them. */
  readonly partnerEvents: 'joined' | 'each'
  /** The import that creates the entities. */
  readonly importId?: string | undefined
}

/**
 * Prepares the creation of all of these entities or none, with their unique keys and change events. Leaves out derived
 * sides of relationships. Throws `ReservedCharacterError` if the entities cannot be inserted together.
 */
export function prepareMany(
  model: DataModel,
  entityType: EntityType,
  entities: readonly NewContents[],
  { stamp, answer, partnerEvents, importId }: ManyOptions,
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
    importId,
  })
  return ({ db }) => asOutboxWriter(db, model.workspace.id, () => insert(db.sql))
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
    eventsOfCreation(model, entityType, { id, parentRecordId: parent?.recordId }, contents),
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
