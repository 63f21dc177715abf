/** Computes what an update writes to one entity, in full before it sends a statement. */

import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { Stored } from '#engine/attribute-types/define'
import type { Attribute, DataModel } from '#engine/data-model/model'
import { timestampFromMicros, type Micros } from '#base/timing/clock'
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
import { type Placeholder, type ParameterTexts, statementText, typedParam } from './statement'
import { attributeType } from '#engine/attribute-types/registry'

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
export function isChanged({ before, after }: AttributeChange): boolean {
  if (before.length !== after.length) return true
  for (const [index, datedValue] of before.entries()) if (datedValue !== after[index]) return true
  return false
}

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
  const ended: EndedValue[] = []
  if (!attribute.has_history) return ended
  for (const datedValue of before) {
    // A value that this write added on one side and removed on the other was never active.
    if (datedValue.active_from === now || isKept(datedValue, after)) continue
    ended.push({
      entity_id,
      attribute: attribute.number,
      active_from: timestampFromMicros(datedValue.active_from),
      active_until: timestampFromMicros(Math.max(now, datedValue.active_from + 1)),
      actor: datedValue.actor,
      mirrored: datedValue.writtenFromOtherSide,
      value: datedValue.stored,
      ended_by: shownActor({ actor: stamp.actor, writtenFromOtherSide: stamp.writtenFromOtherSide === true }),
    })
  }
  return ended
}

function isKept({ active_from, stored }: DatedValue, after: readonly DatedValue[]): boolean {
  for (const kept of after) if (kept.active_from === active_from && kept.stored === stored) return true
  return false
}

const NO_KEYS = { removed: [], added: [] }

function uniqueChanges(changes: readonly AttributeChange[]): Pick<EntityChange, 'removed' | 'added'> {
  if (!changes.some(({ attribute }) => attribute.is_unique)) return NO_KEYS
  const before = changes.flatMap((change) => uniqueKeys(change.attribute, storedIn(change.before)))
  const after = changes.flatMap((change) => uniqueKeys(change.attribute, storedIn(change.after)))
  const isIn = (keys: UniqueKey[]) => (one: UniqueKey) =>
    keys.some(({ attribute, key }) => attribute === one.attribute && key === one.key)
  const [inBefore, inAfter] = [isIn(before), isIn(after)]
  return { removed: before.filter((key) => !inAfter(key)), added: after.filter((key) => !inBefore(key)) }
}

// The step of an update that inserts the values it ends into the history.

const HISTORY_COLUMNS = [
  ['attribute', 'int'],
  ['active_from', 'timestamptz'],
  ['active_until', 'timestamptz'],
  ['actor', 'int'],
  ['mirrored', 'boolean'],
  ['value', 'jsonb'],
  ['ended_by', 'int'],
] as const

const HISTORY_COLUMNS_OF_MANY = [['entity_id', 'uuid'], ...HISTORY_COLUMNS] as const

/** Part of the shape of a statement. */
type HistoryShape = 'none' | 'one' | 'many'

export const historyShape = (ended: readonly EndedValue[]): HistoryShape =>
  ended.length === 0 ? 'none' : ended.length === 1 ? 'one' : 'many'

/**
 * `id` is SQL of the entity's id. No step without ended values. Each column of a single value is a parameter of its own, which costs
 * PostgreSQL less than `unnest`. See docs/decisions/writes.md.
 */
export function historySteps(param: Placeholder, model: DataModel, id: string, ended: readonly EndedValue[]): string[] {
  const shape = historyShape(ended)
  if (shape === 'none') return []
  const names = HISTORY_COLUMNS.map(([name]) => name).join(', ')
  const parameter = (name: string, type: string) => typedParam(param, `ended_${name}`, type)
  const parameters = (suffix: string) =>
    HISTORY_COLUMNS.map(([name, type]) => parameter(name, `${type}${suffix}`)).join(', ')
  const rows =
    shape === 'one' ? `values (${id}, ${parameters('')})` : `select ${id}, e.* from unnest(${parameters('[]')}) as e`
  return [`ended as (insert into ${model.schema}.history (entity_id, ${names}) ${rows})`]
}

/** The same for many entities, each with any number of ended values. */
export function endedOfManySteps(param: Placeholder, model: DataModel, hasEnded: boolean): string[] {
  if (!hasEnded) return []
  const names = HISTORY_COLUMNS_OF_MANY.map(([name]) => name).join(', ')
  const arrays = HISTORY_COLUMNS_OF_MANY.map(([name, type]) => typedParam(param, `ended_${name}`, `${type}[]`)).join(
    ', ',
  )
  return [`ended as (insert into ${model.schema}.history (${names}) select * from unnest(${arrays}))`]
}

export const endedOfManyTexts = (ended: readonly EndedValue[]): ParameterTexts =>
  Object.fromEntries(
    HISTORY_COLUMNS_OF_MANY.map(([name]) => [
      `ended_${name}`,
      statementText(ended.map((endedValue) => statementText(endedValue[name]))),
    ]),
  )

export function historyTexts(ended: readonly EndedValue[]): ParameterTexts {
  const [first, ...others] = ended
  if (!first) return {}
  const textIn = (name: (typeof HISTORY_COLUMNS)[number][0]) =>
    statementText(others.length === 0 ? first[name] : ended.map((endedValue) => statementText(endedValue[name])))
  return Object.fromEntries(HISTORY_COLUMNS.map(([name]) => [`ended_${name}`, textIn(name)]))
}

// Computes an attribute's values after a write. See docs/reference/values.md (Several values).

/** How multiselects take new values: added in front, or as their whole content. A write replaces a single value either way. */
export type MultiselectWrite = 'append' | 'overwrite'

/**
 * The attribute's values after the write. A value that the attribute had already keeps its `active_from`. A value that
 * `values` repeats counts once.
 */
export function applyValues(
  attribute: Attribute,
  current: readonly DatedValue[],
  values: readonly Stored[],
  multiselectWrite: MultiselectWrite,
  stamp: Stamp,
): DatedValue[] {
  const { key } = attributeType(attribute.type)
  const { now, actor, writtenFromOtherSide = false } = stamp
  if (!attribute.is_multiselect && values.length < 2 && current.length < 2) {
    const [[stored], [present]] = [values, current]
    if (stored === undefined) return []
    if (present !== undefined && key(present.stored) === key(stored)) return [present]
    return [{ stored, active_from: startOf(current, now), actor, writtenFromOtherSide }]
  }
  const existing = new Map(current.map((datedValue) => [key(datedValue.stored), datedValue]))
  const active_from = startOf(current, now)
  const next = new Map<string, DatedValue>()
  for (const stored of values) {
    const valueKey = key(stored)
    if (next.has(valueKey) || (multiselectWrite === 'append' && attribute.is_multiselect && existing.has(valueKey)))
      continue
    next.set(valueKey, existing.get(valueKey) ?? { stored, active_from, actor, writtenFromOtherSide })
  }
  if (multiselectWrite === 'append' && attribute.is_multiselect) return [...next.values(), ...current]
  return [...next.values()]
}

/** The values of an attribute of a new entity: each once, in their order. */
export function distinctValues(attribute: Attribute, values: readonly Stored[]): readonly Stored[] {
  if (values.length < 2) return values
  const { key } = attributeType(attribute.type)
  const seen = new Map<string, Stored>()
  for (const stored of values) if (!seen.has(key(stored))) seen.set(key(stored), stored)
  return [...seen.values()]
}

/** New values begin after those that they follow, even if the clocks of two processes differ. */
function startOf(current: readonly DatedValue[], now: Micros): Micros {
  let latest = now
  for (const { active_from } of current) latest = Math.max(latest, active_from + 1)
  return latest
}
