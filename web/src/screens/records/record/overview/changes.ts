/** The values an attribute had, as a row of changes from one state to the next. */

import type { Actor, Value } from '../../../../api/records/entities'

export interface Change {
  readonly at: string
  /** Null when values only ended, of which nobody's name is kept. */
  readonly actor: Actor | null
  readonly before: readonly Value[]
  readonly after: readonly Value[]
}

/** The latest first. Every instant at which a value began or ended is one change. */
export function changesOf(values: readonly Value[]): Change[] {
  const instants = values.flatMap(({ active_from, active_until }) => [active_from, active_until ?? active_from])
  return [...new Set(instants)]
    .toSorted()
    .toReversed()
    .map((at) => {
      const begun = values.find(({ active_from }) => active_from === at)
      return {
        at,
        actor: begun?.created_by_actor ?? null,
        before: values.filter((value) => value.active_from < at && (value.active_until ?? '9') >= at),
        after: values.filter((value) => value.active_from <= at && (value.active_until ?? '9') > at),
      }
    })
}
