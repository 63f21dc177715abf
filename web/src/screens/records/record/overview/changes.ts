/** The history of an attribute as a list of changes. */

import type { Actor, Value } from '../../../../api/records/entities'

export interface Change {
  readonly at: string
  /** Null when values only ended: the API does not name the actor of that. */
  readonly actor: Actor | null
  readonly before: readonly Value[]
  readonly after: readonly Value[]
}

/** The changes, the latest first. Each time at which a value begins or ends is one change. */
export function changesOf(values: readonly Value[]): Change[] {
  const instants = values.flatMap(({ active_from, active_until }) => [active_from, active_until ?? active_from])
  return [...new Set(instants)]
    .toSorted()
    .toReversed()
    .map((at) => {
      const started = values.find(({ active_from }) => active_from === at)
      return {
        at,
        actor: started?.created_by_actor ?? null,
        before: values.filter((value) => value.active_from < at && (value.active_until ?? '9') >= at),
        after: values.filter((value) => value.active_from <= at && (value.active_until ?? '9') > at),
      }
    })
}
