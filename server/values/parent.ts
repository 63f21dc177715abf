/** What entries have and records have not: the record they stand for. Spec: resources 5.1. */

import type { DataModel, ListOwner, ObjectOwner } from '../data-model/model'
import type { Targets, TypedColumns } from './statements'

export interface Parent {
  readonly object: ObjectOwner
  readonly recordId: string
}

export const PARENT_COLUMNS: TypedColumns = new Map([
  ['parent_object', 'int'],
  ['parent_record_id', 'uuid'],
] as const)

/** What the columns of an entry hold; nothing for a record. */
export const parentValues = (parent: Parent | undefined): Readonly<Record<string, unknown>> =>
  parent === undefined ? {} : { parent_object: parent.object.number, parent_record_id: parent.recordId }

/** As something that must exist, and go on to while the entry is being made. */
export const parentTarget = ({ object, recordId }: Parent): Targets => ({ table: object.table, ids: [recordId] })

/** The lists whose entries stand for records of the object. */
export const listsOf = (model: DataModel, object: ObjectOwner): ListOwner[] =>
  model.owners.filter((owner): owner is ListOwner => owner.kind === 'list' && owner.parent_object_id === object.id)
