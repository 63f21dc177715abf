/** The data model as it would be with what is missing, for checking a file before anything is made. */

import type { Attribute, DataModel, ObjectOwner } from '../../data-model/model'
import { newAttribute, newOption } from '../../workspaces/build-attribute'
import type { MissingAttribute } from './plan'

/** Beyond what the database can number, so that nothing stored has such a number. */
const FIRST_PLANNED = 2 ** 31

/** Whether the attribute has columns in the database. */
export const isStored = ({ number }: Attribute): boolean => number < FIRST_PLANNED

export function withAttributes(model: DataModel, object: ObjectOwner, missing: readonly MissingAttribute[]): DataModel {
  const planned = missing.map(({ title, api_slug, type, is_multiselect, currency }, index) =>
    newAttribute(
      {
        title,
        api_slug,
        type,
        is_multiselect,
        config:
          type === 'currency' ? { currency: { default_currency_code: currency ?? 'USD', display_type: 'symbol' } } : {},
      },
      { owner_id: object.id, number: FIRST_PLANNED + index, created_at: object.created_at },
    ),
  )
  return withObject(model, { ...object, attributes: [...object.attributes, ...planned] })
}

/** With further options, by the id of their attribute. */
export function withOptions(
  model: DataModel,
  object: ObjectOwner,
  titles: ReadonlyMap<string, readonly string[]>,
): DataModel {
  const attributes = object.attributes.map((attribute) => {
    const added = (titles.get(attribute.id) ?? []).map((title, index) => newOption(FIRST_PLANNED + index, title))
    return added.length > 0 ? { ...attribute, options: [...attribute.options, ...added] } : attribute
  })
  return withObject(model, { ...object, attributes })
}

function withObject(model: DataModel, object: ObjectOwner): DataModel {
  const owners = model.owners.map((owner) => (owner.id === object.id ? object : owner))
  return {
    ...model,
    owners,
    ownersById: new Map(owners.map((owner) => [owner.id, owner])),
    ownersByNumber: new Map(owners.map((owner) => [owner.number, owner])),
    attributesById: new Map(owners.flatMap((owner) => owner.attributes.map((attribute) => [attribute.id, attribute]))),
  }
}
