/** What a write changes in one entity: computed in full before anything is sent to the database. */

import { columnsOf } from '../attribute-types/definition/columns'
import type { Stored } from '../attribute-types/define'
import type { Attribute } from '../data-model/model'
import { type Micros, timestampFromMicros } from '../timing/clock'
import { type UniqueKey, uniqueKeys } from './unique-keys'
import { type Creation, type Provenance, provenanceEntries, storedIn, type Version } from './provenance'

/** An attribute's values before and after a write. */
export interface AttributeChange {
  readonly attribute: Attribute
  readonly before: readonly Version[]
  readonly after: readonly Version[]
}

/** A value that is no longer active, as the `history` table keeps it. */
export interface EndedVersion {
  readonly entity_id: string
  readonly attribute: number
  readonly active_from: string
  readonly active_until: string
  readonly actor: number
  readonly mirrored: boolean
  readonly value: Stored
}

export interface EntityChange {
  /** Whose values change. */
  readonly attributes: readonly Attribute[]
  /** New contents of the changed columns, by name; arrays for multiselects. */
  readonly columns: Readonly<Record<string, unknown>>
  readonly provenance: Provenance | null
  readonly ended: readonly EndedVersion[]
  readonly freed: readonly UniqueKey[]
  readonly taken: readonly UniqueKey[]
}

/** The entity a change is computed for, as it was read. */
export interface ChangedEntity {
  readonly id: string
  readonly created: Creation
  readonly provenance: Provenance | null
}

/** Whether the values, their order or their origin differ. */
export const isChanged = ({ before, after }: AttributeChange): boolean =>
  before.length !== after.length || before.some((version, index) => version !== after[index])

/** All of it in one change; undefined when nothing differs. `now` is when the values that go away end. */
export function entityChange(
  entity: ChangedEntity,
  all: readonly AttributeChange[],
  now: Micros,
): EntityChange | undefined {
  const changes = all.filter(isChanged)
  if (changes.length === 0) return undefined
  const columns: Record<string, unknown> = {}
  const provenance: Record<string, NonNullable<Provenance[string]>> = { ...entity.provenance }
  for (const { attribute, after } of changes) {
    fillColumns(columns, attribute, storedIn(after))
    const entries = provenanceEntries(after, entity.created)
    if (entries) provenance[attribute.number] = entries
    else delete provenance[attribute.number]
  }
  return {
    attributes: changes.map(({ attribute }) => attribute),
    columns,
    provenance: Object.keys(provenance).length > 0 ? provenance : null,
    ended: changes.flatMap((change) => endedVersions(entity.id, change, now)),
    ...uniqueChanges(changes),
  }
}

/** Puts what an attribute's columns hold for these values into `columns`, by name; null when there is none. */
export function fillColumns(columns: Record<string, unknown>, attribute: Attribute, values: readonly Stored[]): void {
  for (const { member, name } of columnsOf(attribute)) {
    if (name === null) continue
    if (!attribute.is_multiselect) columns[name] = values[0]?.[member] ?? null
    else columns[name] = values.length > 0 ? values.map((stored) => stored[member] ?? null) : null
  }
}

function endedVersions(entity_id: string, { attribute, before, after }: AttributeChange, now: Micros): EndedVersion[] {
  if (!attribute.has_history) return []
  // What this very write put there, for another side of it to take away again, never was.
  const gone = before.filter(
    (version) =>
      version.active_from !== now &&
      !after.some((kept) => kept.active_from === version.active_from && kept.stored === version.stored),
  )
  return gone.map((version) => ({
    entity_id,
    attribute: attribute.number,
    active_from: timestampFromMicros(version.active_from),
    active_until: timestampFromMicros(Math.max(now, version.active_from + 1)),
    actor: version.actor,
    mirrored: version.mirrored,
    value: version.stored,
  }))
}

function uniqueChanges(changes: readonly AttributeChange[]): Pick<EntityChange, 'freed' | 'taken'> {
  const before = changes.flatMap((change) => uniqueKeys(change.attribute, storedIn(change.before)))
  const after = changes.flatMap((change) => uniqueKeys(change.attribute, storedIn(change.after)))
  const isIn = (keys: UniqueKey[]) => (one: UniqueKey) =>
    keys.some(({ attribute, key }) => attribute === one.attribute && key === one.key)
  const [inBefore, inAfter] = [isIn(before), isIn(after)]
  return { freed: before.filter((key) => !inAfter(key)), taken: after.filter((key) => !inBefore(key)) }
}
