/** The parent record of an entry. See docs/reference/lists-and-entries.md (Entries). */

import type { DataModel, ListType, ObjectType } from '#engine/data-model/model'
import type { ReferenceTargets } from './preconditions'
import type { UniqueKey } from './unique-keys'

export interface Parent {
  readonly object: ObjectType
  readonly recordId: string
  /** With this key, the insert fails if the record has an entry already. Of two concurrent inserts, the second fails. */
  readonly uniqueKey?: UniqueKey
}

/** The contents of an entry's further columns, by name; none for a record. */
export const parentValues = (parent: Parent | undefined): Readonly<Record<string, unknown>> =>
  parent === undefined ? {} : { parent_object: parent.object.number, parent_record_id: parent.recordId }

/**
 * The unique key of an entry that was created by asserting the entry of a record. It lets one of two concurrent requests
 * create the entry. Entries created otherwise have no such key. Decision 0027.
 */
export function parentUniqueKey(list: ListType, recordId: string): UniqueKey {
  const attribute = list.attributes.find(({ api_slug }) => api_slug === 'parent_record')
  if (!attribute) throw new Error(`List ${list.id} has no parent record.`)
  return { attribute: attribute.number, key: recordId }
}

/** The parent record as a target, which must exist until the insert of the entry commits. */
export const parentTarget = ({ object, recordId }: Parent): ReferenceTargets => ({
  table: object.table,
  ids: [recordId],
})

/** The lists whose entries stand for records of the object. */
export const listsOf = (model: DataModel, object: ObjectType): ListType[] =>
  model.entityTypes.filter(
    (entityType): entityType is ListType => entityType.kind === 'list' && entityType.parent_object_id === object.id,
  )

/** The condition that an entry's parent record is one of the ids `$1`. */
export const PARENT_IS_ANY = 'parent_record_id = any($1::uuid[])'
