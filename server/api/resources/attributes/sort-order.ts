/** Moves attributes, options and statuses within their order. See docs/decisions/0135-order-of-attributes-and-options.md. */

import { sql } from 'kysely'
import { renderArray } from '#db/connect'
import type { ModelChange } from '#engine/data-model/change-model'

interface Item {
  readonly id: string
}

/** Returns the items with the moved one at an index that counts the visible items only. */
export function moveItem<T extends Item>(
  items: readonly T[],
  { id }: Item,
  index: number,
  isVisible: (item: T) => boolean = () => true,
): readonly T[] {
  const others = items.filter((item) => item.id !== id)
  const next = others.filter(isVisible)[index]
  return others.toSpliced(next ? others.indexOf(next) : others.length, 0, ...items.filter((item) => item.id === id))
}

/** Stores the order of all custom attributes of an entity type, or of all options of an attribute. Later ones go behind them. */
export async function saveOrder(
  { control, model }: ModelChange,
  table: 'relata.attributes' | 'relata.options',
  items: readonly Item[],
): Promise<void> {
  const ids = items.map(({ id }) => id)
  await control
    .updateTable(table)
    .set({ position: sql<number>`array_position(${renderArray(ids)}::uuid[], id)` })
    .where('workspace_id', '=', model.workspace.id)
    .where('id', 'in', ids)
    .execute()
}
