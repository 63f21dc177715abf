/** Computes what an update writes to the columns of one entity, and its change events. */

import type { DataModel, EntityType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import type { AttributeChange } from '#engine/storage/entity-change'
import { type ReferenceTargets, referenceTargetsOf } from '#engine/storage/preconditions'
import type { Stamp } from '#engine/storage/provenance'
import type { StoredEntity } from '#engine/storage/read-entities'
import { applyValues, type MultiselectWrite } from './apply-values'
import { eventsOfChange } from './change-events'
import { requireTouched } from './defaults'
import type { Assignment } from './parse-values'

/** What a write assigns to an entity. */
export interface Update {
  readonly assignments: readonly Assignment[]
  /** How a multiselect takes its values. */
  readonly multiselectWriteOf: (assignment: Assignment) => MultiselectWrite
  /** Whether the attributes are computed, so that clients see neither a new version nor a later `updated_at`. */
  readonly isRefresh?: boolean
}

export interface PlannedUpdate {
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
