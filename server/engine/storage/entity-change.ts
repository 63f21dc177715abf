/** Computes what an update writes to one entity, in full before it sends a statement. */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Stored } from '#engine/attribute-types/define'
import type { Attribute } from '#engine/data-model/model'
import { timestampFromMicros } from '#base/timing/clock'
import { type UniqueKey, uniqueKeys } from './unique-keys'
import {
  type Creation,
  type Provenance,
  provenanceEntries,
  shownActor,
  type Stamp,
  storedIn,
  type DatedValue,
  withEntries,
} from './provenance'

/** An attribute's values before and after a write. */
export interface AttributeChange {
  readonly attribute: Attribute
  readonly before: readonly DatedValue[]
  readonly after: readonly DatedValue[]
}

/** A value that is no longer active, as a row of the `history` table. */
export interface EndedValue {
  readonly entity_id: string
  readonly attribute: number
  readonly active_from: string
  readonly active_until: string
  readonly actor: number
  readonly mirrored: boolean
  readonly value: Stored
  /** The number of the actor that ended the value: the system if the write was of the other side of a relationship. */
  readonly ended_by: number
}

export interface EntityChange {
  /** The attributes whose values change. */
  readonly attributes: readonly Attribute[]
  /** The new contents of changed columns, by name; arrays for multiselects. */
  readonly columns: Readonly<Record<string, unknown>>
  readonly provenance: Provenance | null
  readonly ended: readonly EndedValue[]
  readonly removed: readonly UniqueKey[]
  readonly added: readonly UniqueKey[]
}

/** The entity that a change is computed for, as it was read. */
export interface ChangedEntity {
  readonly id: string
  readonly created: Creation
  readonly provenance: Provenance | null
}

/** Whether the values, their order or their provenance differ. */
export const isChanged = ({ before, after }: AttributeChange): boolean =>
  before.length !== after.length || before.some((datedValue, index) => datedValue !== after[index])

/** Joins changes of attributes to one change of their entity; undefined if nothing differs. Removed values end at the time of the write. */
export function entityChange(
  entity: ChangedEntity,
  all: readonly AttributeChange[],
  stamp: Stamp,
): EntityChange | undefined {
  const changes = all.filter(isChanged)
  if (changes.length === 0) return undefined
  const columns: Record<string, unknown> = {}
  const written = changes.map(({ attribute, after }) => {
    fillColumns(columns, attribute, storedIn(after))
    return { attribute, entries: provenanceEntries(after, entity.created) }
  })
  return {
    attributes: changes.map(({ attribute }) => attribute),
    columns,
    provenance: withEntries(entity.provenance, written),
    ended: changes.flatMap((change) => endedValues(entity.id, change, stamp)),
    ...uniqueChanges(changes),
  }
}

/** Adds the contents of an attribute's columns for these values to `columns`, by name; null without values. */
export function fillColumns(columns: Record<string, unknown>, attribute: Attribute, values: readonly Stored[]): void {
  for (const { member, name } of columnsOf(attribute)) {
    if (name === null) continue
    if (!attribute.is_multiselect) columns[name] = values[0]?.[member] ?? null
    else columns[name] = values.length > 0 ? values.map((stored) => stored[member] ?? null) : null
  }
}

function endedValues(entity_id: string, { attribute, before, after }: AttributeChange, stamp: Stamp): EndedValue[] {
  const { now } = stamp
  if (!attribute.has_history) return []
  // A value that this write added on one side and removed on the other was never active.
  const removed = before.filter(
    (datedValue) =>
      datedValue.active_from !== now &&
      !after.some((kept) => kept.active_from === datedValue.active_from && kept.stored === datedValue.stored),
  )
  return removed.map((datedValue) => ({
    entity_id,
    attribute: attribute.number,
    active_from: timestampFromMicros(datedValue.active_from),
    active_until: timestampFromMicros(Math.max(now, datedValue.active_from + 1)),
    actor: datedValue.actor,
    mirrored: datedValue.writtenFromOtherSide,
    value: datedValue.stored,
    ended_by: shownActor({ actor: stamp.actor, writtenFromOtherSide: stamp.writtenFromOtherSide === true }),
  }))
}

function uniqueChanges(changes: readonly AttributeChange[]): Pick<EntityChange, 'removed' | 'added'> {
  const before = changes.flatMap((change) => uniqueKeys(change.attribute, storedIn(change.before)))
  const after = changes.flatMap((change) => uniqueKeys(change.attribute, storedIn(change.after)))
  const isIn = (keys: UniqueKey[]) => (one: UniqueKey) =>
    keys.some(({ attribute, key }) => attribute === one.attribute && key === one.key)
  const [inBefore, inAfter] = [isIn(before), isIn(after)]
  return { removed: before.filter((key) => !inAfter(key)), added: after.filter((key) => !inBefore(key)) }
}
