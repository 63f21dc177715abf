/** Indexes of items that are moved. */

/** The new index of an item that is dropped before or behind another one. */
export function dropPosition(from: number, over: number, isBehind: boolean): number {
  const target = isBehind ? over + 1 : over
  return target > from ? target - 1 : target
}

/** The items with one of them at another index. */
export const moved = <T>(items: readonly T[], from: number, to: number): T[] =>
  items.toSpliced(from, 1).toSpliced(to, 0, ...items.slice(from, from + 1))

/**
 * The index among all items, without the moved one, that puts it at `to` among the shown ones. Items that are not shown, such as
 * archived ones, keep their order.
 */
export function indexAmongAll<T>(all: readonly T[], shown: readonly T[], from: number, to: number): number {
  const item = shown[from]
  const next = moved(shown, from, to)
  const others = all.filter((one) => one !== item)
  const [before, behind] = [next[to - 1], next[to + 1]]
  if (behind !== undefined) return others.indexOf(behind)
  return before === undefined ? 0 : others.indexOf(before) + 1
}
