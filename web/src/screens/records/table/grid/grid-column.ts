/** What the cells of a column have in common. */

import type { Attribute } from '../../../../api/data-model/attributes'
import { isReferencedSlug } from '../../../../api/records/referenced-values'
import type { RecordTarget } from '../../../../api/records/entities'
import { isEditable, valueTypeOf } from '../../../../values/registry'

export interface GridColumn {
  readonly attribute: Attribute
  /** Whether the cells link to the page of their row. */
  readonly isLinked: boolean
  /** Whether values are shown as text. */
  readonly isPlain: boolean
  /** Whether the cells show text only, for which a row needs no component. */
  readonly isText: boolean
  readonly isNumeric: boolean
  /** Whether the cells show values of a referenced record, to whose page they link. */
  readonly isReferenced: boolean
  /** Whether a press on a value changes it. */
  readonly isPressed: boolean
  /** The room for values, in pixels. */
  readonly room: number
}

/** The page of the record whose values a column shows. Columns show those of objects only. */
export const referencedHref = ({ target_object, target_record_id }: RecordTarget): string =>
  `/objects/${target_object}/${target_record_id}`

export function gridColumn(attribute: Attribute, isLinked: boolean, room: number): GridColumn {
  const isReferenced = isReferencedSlug(attribute.api_slug)
  const { Shown, isNumeric, emptyValue } = valueTypeOf(attribute)
  return {
    attribute,
    isLinked,
    isPlain: Shown === undefined,
    isText: Shown === undefined && !isLinked && !isReferenced,
    isReferenced,
    isNumeric: isNumeric === true,
    isPressed: emptyValue !== undefined && isEditable(attribute),
    room,
  }
}
