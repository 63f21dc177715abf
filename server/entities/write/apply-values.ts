/** What an attribute's values become when others are written to it. See docs/reference/values.md (Several values). */

import type { Stored } from '../../attribute-types/define'
import { attributeType } from '../../attribute-types/registry'
import type { Attribute } from '../../data-model/model'
import type { Micros } from '../../timing/clock'
import type { Version } from '../../storage/provenance'

/** How multiselects take new values: added in front, or as the whole new content. Single values are replaced either way. */
export type Mode = 'append' | 'overwrite'

/** Who writes, when, and from which side of a relationship. */
export interface Stamp {
  readonly now: Micros
  readonly actor: number
  readonly mirrored?: boolean
}

/**
 * The attribute's versions after the write. A value that was there already stays as it is, with its `active_from`; a
 * value repeated within `values` counts once.
 */
export function applyValues(
  attribute: Attribute,
  current: readonly Version[],
  values: readonly Stored[],
  mode: Mode,
  stamp: Stamp,
): Version[] {
  const { key } = attributeType(attribute.type)
  const known = new Map(current.map((version) => [key(version.stored), version]))
  const active_from = startOf(current, stamp.now)
  const next = new Map<string, Version>()
  for (const stored of values) {
    const valueKey = key(stored)
    if (next.has(valueKey) || (mode === 'append' && attribute.is_multiselect && known.has(valueKey))) continue
    const version = { stored, active_from, actor: stamp.actor, mirrored: stamp.mirrored ?? false }
    next.set(valueKey, known.get(valueKey) ?? version)
  }
  if (mode === 'append' && attribute.is_multiselect) return [...next.values(), ...current]
  return [...next.values()]
}

/** What a new attribute holds of these values: each once, in their order. */
export function distinctValues(attribute: Attribute, values: readonly Stored[]): readonly Stored[] {
  if (values.length < 2) return values
  const { key } = attributeType(attribute.type)
  const seen = new Map<string, Stored>()
  for (const stored of values) if (!seen.has(key(stored))) seen.set(key(stored), stored)
  return [...seen.values()]
}

/** New values never begin before or with those they follow, however the clocks of two processes differ. */
const startOf = (current: readonly Version[], now: Micros): Micros =>
  current.reduce((latest, { active_from }) => Math.max(latest, active_from + 1), now)
