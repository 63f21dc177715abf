/** Random filters. */

import type { Filter } from '../../../../api/records/entities'

export const record = (id: string) => ({ target_object: 'people', target_record_id: id })
export const actor = { referenced_actor_type: 'workspace-member', referenced_actor_id: null }

/** Generates filters for property tests: the same ones in every run. Some of them are none that the API takes. */
export function randomFilters(seed: number) {
  let state = seed
  const next = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const pick = <T>(...choices: readonly (() => T)[]): T => choices[next(choices.length)]?.() as T // an index of the list
  const operand = (): unknown =>
    pick<unknown>(
      () => 'x',
      () => 1,
      () => true,
      () => null,
      () => ['p', 'q'],
      () => [],
      () => record('1'),
      () => actor,
    )
  const constraint = (): unknown =>
    pick<unknown>(
      operand,
      () => ({ $eq: operand() }),
      () => ({ $in: operand() }),
      () => ({ first: operand() }),
      () => ({ first: { $lt: 1 } }),
      () => ({ $gt: 1, $lt: 2 }),
    )
  /** One to five segments. Those of lists begin with the parent record; saved views have ids in place of slugs. */
  const path = (last: string): unknown => {
    const name = (slug: string) =>
      pick(
        () => slug,
        () => `id of ${slug}`,
      )
    const references = Array.from({ length: next(5) }, (_, at) => [
      name(`o${at}`),
      name(at === 0 ? 'parent_record' : 'r'),
    ])
    return [...references, [name('p'), name(last)]]
  }
  const anyAlong = (along: unknown) => ({ $or: ['1', '2'].map((id) => ({ path: along, constraints: record(id) })) })
  const filter = (depth: number): unknown => {
    const slug = () => `a${next(3)}`
    const leaf = () => ({ [slug()]: constraint() })
    if (depth === 0) return leaf()
    const list = () => Array.from({ length: next(4) }, () => filter(depth - 1))
    return pick<unknown>(
      leaf,
      () => ({ [slug()]: constraint(), [slug()]: constraint() }),
      () => ({ $and: list() }),
      () => ({ $or: list() }),
      () => ({ $or: [{ c: record('1') }, { c: record('2') }] }),
      () => ({ $not: filter(depth - 1) }),
      () => ({ [slug()]: constraint(), $or: list() }),
      () => ({ path: path(slug()), constraints: constraint() }),
      () => ({ $not: { path: path(slug()), constraints: constraint() } }),
      () => anyAlong(path(slug())),
      () => ({}),
    )
  }
  return () => filter(3) as Filter
}
