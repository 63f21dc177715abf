import { type CellConverter, convertEach, oneValue, skipBlank, unreadable } from '#transfer/import/convert/conversion'
import { readWebsite } from '#transfer/import/convert/readers/websites'

export const domainConverter: CellConverter = {
  convert: skipBlank((text, { attribute }) =>
    convertEach(attribute.is_multiselect ? text.trim().split(/[\s,;|]+/) : [text.trim()], (part) => {
      const website = readWebsite(part)
      if ('domain' in website) return oneValue(website.domain)
      if ('problem' in website) return unreadable(website.problem)
      const { slug, url } = website.profile
      return { values: [], problems: [], forOtherAttributes: { [slug]: url } }
    }),
  ),
}
