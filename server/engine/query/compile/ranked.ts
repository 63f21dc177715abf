/** Properties that sort by the rank of the option or member whose number the column holds. */

import type { Property } from '#engine/attribute-types/define'
import type { Attribute, DataModel } from '#engine/data-model/model'

type RankedProperty = Exclude<Property, { source: 'active_from' }> & {
  readonly ranked: (attribute: Attribute, model: DataModel) => readonly number[]
}

export const isRankedProperty = (property: Property): property is RankedProperty =>
  property.source !== 'active_from' && property.ranked !== undefined
