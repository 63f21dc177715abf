/** Computes an attribute's values after a write. See docs/reference/values.md (Several values). */

import type { Stored } from '#engine/attribute-types/define'
import { attributeType } from '#engine/attribute-types/registry'
import type { Attribute } from '#engine/data-model/model'
import type { Stamp, DatedValue } from '#engine/storage/provenance'
import type { Micros } from '#base/timing/clock'

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
  const existing = new Map(current.map((datedValue) => [key(datedValue.stored), datedValue]))
  const active_from = startOf(current, stamp.now)
  const next = new Map<string, DatedValue>()
  for (const stored of values) {
    const valueKey = key(stored)
    if (next.has(valueKey) || (multiselectWrite === 'append' && attribute.is_multiselect && existing.has(valueKey)))
      continue
    const datedValue = {
      stored,
      active_from,
      actor: stamp.actor,
      writtenFromOtherSide: stamp.writtenFromOtherSide ?? false,
    }
    next.set(valueKey, existing.get(valueKey) ?? datedValue)
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
const startOf = (current: readonly DatedValue[], now: Micros): Micros =>
  current.reduce((latest, { active_from }) => Math.max(latest, active_from + 1), now)
