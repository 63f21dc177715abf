/** Creates many records in one statement, which is prepared before it runs. */

import type { Sql, Transaction } from '../../../db/connect'
import type { Attribute, DataModel, ObjectType } from '../../data-model/model'
import type { ChangeEvent } from '../../events/event-types'
import { referenceTargetsOf } from '../../storage/preconditions'
import type { Stamp } from '../../storage/provenance'
import { storesReferences } from '../../storage/references'
import type { NewRow } from '../../storage/rows-text'
import { prepareInsert } from '../../storage/statements/insert-records'
import { distinctValues } from './apply-values'
import { addPartnerEvents, eventsOfCreation } from './change-events'
import type { Assignment } from './parse-values'

/** The id and the values of a record to be created. */
export interface NewRecord {
  readonly id: string
  readonly assignments: readonly Assignment[]
}

/** Runs what was prepared. Throws `VersionConflict` and `UniqueKeyConflict`. */
export type Create = (db: Sql | Transaction) => Promise<void>

/**
 * Prepares the creation of all of these records or none, with their unique keys and change events. Leaves out derived
 * sides of relationships. Throws `ReservedCharacterError` if the records cannot be inserted together.
 */
export function prepareMany(model: DataModel, object: ObjectType, records: readonly NewRecord[], stamp: Stamp): Create {
  const rows = records.map(toRow)
  return prepareInsert(model, object, {
    rows,
    targets: referenceTargetsOf(model, referencesOf(rows)),
    stamp,
    outbox: { origin: { at: stamp.now, actor: stamp.actor }, events: eventsOfAll(model, object, rows) },
  })
}

/**
 * One event for each record, and one for each record whose other side of a relationship gained any of them.
 * See docs/reference/webhooks-and-events.md (What causes what).
 */
function eventsOfAll(model: DataModel, object: ObjectType, rows: readonly NewRow[]): ChangeEvent[] {
  const events = rows.flatMap((row) => eventsOfCreation(model, object, row, []))
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

function toRow({ id, assignments }: NewRecord): NewRow {
  const contents: Assignment[] = []
  for (const assignment of assignments) {
    const { attribute, values } = assignment
    if (attribute.stored_in !== 'columns' || values.length === 0) continue
    contents.push(values.length > 1 ? { attribute, values: distinctValues(attribute, values) } : assignment)
  }
  return { id, contents }
}

/** Most values are not references, so this keeps the search for targets short. */
function referencesOf(rows: readonly NewRow[]): Assignment[] {
  const references: Assignment[] = []
  for (const { contents } of rows) {
    for (const content of contents) if (storesReferences(content.attribute)) references.push(content)
  }
  return references
}
