/** What the cells of a column have in common. */

import type { Attribute } from '../../../../api/data-model/attributes'
import { isEditable, valueTypeOf } from '../../../../values/registry'

export interface GridColumn {
  readonly attribute: Attribute
  /** Whether the cells link to the page of their row. */
  readonly isLinked: boolean
  /** Whether the cells show text only, for which a row needs no component. */
  readonly isText: boolean
  readonly isNumeric: boolean
  /** Whether a press on a value changes it. */
  readonly isPressed: boolean
  /** The room for values, in pixels. */
  readonly room: number
}

export function gridColumn(attribute: Attribute, isLinked: boolean, room: number): GridColumn {
  const { Shown, isNumeric, emptyValue } = valueTypeOf(attribute)
  return {
    attribute,
    isLinked,
    isText: Shown === undefined && !isLinked,
    isNumeric: isNumeric === true,
    isPressed: emptyValue !== undefined && isEditable(attribute),
    room,
  }
}
