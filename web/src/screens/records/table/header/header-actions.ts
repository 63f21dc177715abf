/** What the menu and the keys of a heading do. */

import type { Attribute } from '../../../../api/data-model/attributes'

export interface HeaderActions {
  /** Sorts by one column alone; without a direction, by none. */
  sort(attribute: Attribute, direction: 'asc' | 'desc' | undefined): void
  filter(attribute: Attribute): void
  /** Groups the rows, or no longer if they are grouped by this attribute. */
  group(attribute: Attribute): void
  /** Chooses an attribute whose column is inserted at an index; of the records of a reference, if one is named. */
  insert(index: number, reference?: Attribute): void
  move(from: number, to: number): void
  hide(attribute: Attribute): void
  /** Changes the width by some rem. */
  widen(attribute: Attribute, by: number): void
  resetWidth(attribute: Attribute): void
}
