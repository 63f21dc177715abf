/** References to records and to members. */

import { attributeType } from '#engine/attribute-types/registry'
import { allowedObjectIds, findAttribute } from '#engine/data-model/find'
import {
  type CellConverter,
  convertEach,
  type ConverterContext,
  oneValue,
  skipBlank,
} from '#transfer/import/convert/conversion'
import { splitEmails } from '#transfer/import/convert/readers/contacts'
import { splitList } from '#transfer/import/convert/readers/lists'
import { readWebsite } from '#transfer/import/convert/readers/websites'

/** A company may be named by its website. All other records are named as the API accepts them. */
export const recordReferenceConverter: CellConverter = {
  convert: skipBlank((text, context) => {
    const isByDomain = refersToDomains(context)
    const parts = context.attribute.is_multiselect ? splitList(text) : [text.trim()]
    return convertEach(parts, (part) => {
      const website = isByDomain ? readWebsite(part) : undefined
      return oneValue(website && 'domain' in website ? website.domain : part)
    })
  }),
}

function refersToDomains({ attribute, model }: ConverterContext): boolean {
  const targets = allowedObjectIds(attribute)
  const target = targets.length === 1 ? model.entityTypesById.get(targets[0] ?? '') : undefined
  if (target?.kind !== 'object' || target.standard_slug !== 'companies') return false
  const domains = findAttribute(target, 'domains')
  return domains !== undefined && attributeType(domains.type).isUrlValue === true
}

export const actorReferenceConverter: CellConverter = {
  convert: skipBlank((text, { attribute }) =>
    convertEach(attribute.is_multiselect ? splitEmails(text) : [text.trim()], oneValue),
  ),
}
