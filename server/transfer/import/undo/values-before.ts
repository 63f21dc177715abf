import type { Stored } from '#engine/attribute-types/define'
import type { Attribute } from '#engine/data-model/model'
import type { ValueWithEnd } from '#engine/storage/history'
import type { ImportUpdate } from '#engine/storage/imports/import-updates'
import type { DatedValue } from '#engine/storage/provenance'
import type { Micros } from '#base/timing/clock'

export interface AttributeValues {
  readonly attribute: Pick<Attribute, 'number' | 'has_history'>
  readonly active: readonly DatedValue[]
  /** Empty for an attribute without a history. */
  readonly ended: readonly ValueWithEnd[]
}

/**
 * The values of an attribute before these updates, of which there is at least one. Undefined if they did not touch it, `changed` if
 * other writes have changed it since the first of them.
 */
export function valuesBefore(
  values: AttributeValues,
  updates: readonly ImportUpdate[],
): readonly Stored[] | 'changed' | undefined {
  const times = new Set(updates.map(({ writtenAt }) => writtenAt))
  return values.attribute.has_history ? fromHistory(values, times) : fromUpdates(values, updates, times)
}

function fromHistory({ active, ended }: AttributeValues, times: ReadonlySet<Micros>) {
  const first = Math.min(...times)
  const endedSince = ended.flatMap(({ active_until, ...value }) =>
    active_until !== null && active_until >= first ? [{ ...value, active_until }] : [],
  )
  const isTouched = hasValueOf(active, times) || endedSince.some(({ active_until }) => times.has(active_until))
  if (!isTouched) return undefined
  const isOther = (at: Micros): boolean => at > first && !times.has(at)
  if (active.some(({ active_from }) => isOther(active_from))) return 'changed'
  if (endedSince.some(({ active_until }) => isOther(active_until))) return 'changed'
  return [...active, ...endedSince].filter(({ active_from }) => active_from < first).map(({ stored }) => stored)
}

/** An import never empties an attribute, so one without a value of it was changed. */
function fromUpdates(
  { attribute, active }: AttributeValues,
  updates: readonly ImportUpdate[],
  times: ReadonlySet<Micros>,
) {
  const first = updates.find(({ previous }) => previous[attribute.number] !== undefined)
  if (first === undefined) return undefined
  const isOther = active.some(({ active_from }) => active_from > first.writtenAt && !times.has(active_from))
  return isOther || !hasValueOf(active, times) ? 'changed' : first.previous[attribute.number]
}

const hasValueOf = (active: readonly DatedValue[], times: ReadonlySet<Micros>): boolean =>
  active.some(({ active_from }) => times.has(active_from))
