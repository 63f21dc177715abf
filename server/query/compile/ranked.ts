/** Properties that sort by something else than what their column holds. */

import type { Property } from '../../attribute-types/define'
import type { Attribute, DataModel } from '../../data-model/model'

type Ranked = Exclude<Property, { source: 'active_from' }> & {
  readonly ranked: (attribute: Attribute, model: DataModel) => readonly number[]
}

export const hasRankedOptions = (property: Property): property is Ranked =>
  property.source !== 'active_from' && property.ranked !== undefined
