/**
 * What entries have and records have not: the record they stand for. See docs/reference/lists-and-entries.md (Entries).
 */

import type { DataModel, ListType, ObjectType } from '../data-model/model'
import type { ReferenceTargets } from './preconditions'
import type { TypedColumns } from './statement'
import type { UniqueKey } from './unique-keys'

export interface Parent {
  readonly object: ObjectType
  readonly recordId: string
  /** Refuses the entry when there is one already; of two that are made with this key at once, the second. */
  readonly claim?: UniqueKey
}

export const PARENT_COLUMNS: TypedColumns = [
  ['parent_object', 'int'],
  ['parent_record_id', 'uuid'],
]

/** What the columns of an entry hold; nothing for a record. */
export const parentValues = (parent: Parent | undefined): Readonly<Record<string, unknown>> =>
  parent === undefined ? {} : { parent_object: parent.object.number, parent_record_id: parent.recordId }

/**
 * The unique key of the entry that stands for a record because somebody asked for the one that does: of two who ask at
 * once, one makes it. Entries made otherwise have none. Decision 0027.
 */
export function parentClaim(list: ListType, recordId: string): UniqueKey {
  const attribute = list.attributes.find(({ api_slug }) => api_slug === 'parent_record')
  if (!attribute) throw new Error(`List ${list.id} has no parent record.`)
  return { attribute: attribute.number, key: recordId }
}

/** As something that must exist, and go on to while the entry is being made. */
export const parentTarget = ({ object, recordId }: Parent): ReferenceTargets => ({
  table: object.table,
  ids: [recordId],
})

/** The lists whose entries stand for records of the object. */
export const listsOf = (model: DataModel, object: ObjectType): ListType[] =>
  model.entityTypes.filter(
    (entityType): entityType is ListType => entityType.kind === 'list' && entityType.parent_object_id === object.id,
  )
