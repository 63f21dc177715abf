/** How the cell of each type of attribute is read. Types that nobody can write have no converter. */

import { findOption } from '../../attribute-types/definition/options'
import { findAttribute } from '../../data-model/find'
import type { Attribute, ObjectType } from '../../data-model/model'
import type { TypeName } from '../../data-model/type-names'
import { readAmounts } from './readers/amounts'
import { isBlank } from './readers/blank'
import { readCheckbox } from './readers/checkboxes'
import { splitEmails, splitPhones } from './readers/contacts'
import { type ConverterContext, type Converter, each, NO_VALUES, one, unreadable } from './conversion'
import { readDate } from './readers/dates'
import { splitList } from './readers/lists'
import { readName } from './readers/names'
import { readNumber } from './readers/numbers'
import { findOptionTitle } from './readers/option-titles'
import { readWebsite } from './readers/websites'

/** Of a cell that is anything but a text. */
const MAX_LENGTH = 100_000

/** A converter that reads no longer cell. */
const limitLength =
  (convert: Converter): Converter =>
  (text, conversion) =>
    text.length > MAX_LENGTH
      ? unreadable(`A cell for "${conversion.attribute.api_slug}" has at most ${MAX_LENGTH} characters`)
      : convert(text, conversion)

/** The same, which takes what stands for nothing as nothing. */
const skipBlank = (convert: Converter): Converter =>
  limitLength((text, conversion) => (isBlank(text) ? NO_VALUES : convert(text, conversion)))

/** One value, made by a reader that gives undefined for what it cannot read. */
const reading = <T>(read: (text: string) => T | undefined, what: string): Converter =>
  skipBlank((text) => {
    const value = read(text)
    return value === undefined ? unreadable(`"${text.trim()}" is no ${what}`) : one(value)
  })

const asText: Converter = (text) => {
  const trimmed = text.trim()
  return trimmed === '' ? NO_VALUES : one(trimmed)
}

const titles: Converter = limitLength((text, { attribute }) => {
  const isKnown = (title: string) => findOptionTitle(attribute, title) !== undefined
  return each(splitTitles(text, attribute, isKnown), (title) => {
    const known = findOptionTitle(attribute, title) ?? findOption(attribute, title, 'current')?.title
    return known === undefined ? unreadable(`"${title}" is no option of "${attribute.api_slug}"`) : one(known)
  })
})

/** The titles a cell names; the whole cell is one where there can only be one. */
export const splitTitles = (
  text: string,
  { is_multiselect }: Pick<Attribute, 'is_multiselect'>,
  isKnown: (title: string) => boolean,
): string[] => (is_multiselect ? splitList(text, isKnown) : [text.trim()].filter((title) => title !== ''))

const readCurrency: Converter = skipBlank((text, { attribute }) => {
  const amounts = readAmounts(text)
  if (!amounts) return unreadable(`"${text.trim()}" is no amount of money`)
  const { sum, currency } = amounts
  const own = attribute.config.currency?.default_currency_code
  // Many currencies are written with a dollar sign.
  if (currency !== undefined && own && currency !== own && !(currency === 'USD' && DOLLARS.has(own))) {
    return unreadable(`"${text.trim()}" is in ${currency}, and "${attribute.api_slug}" in ${own}`)
  }
  return sum === undefined ? NO_VALUES : one(sum)
})

const DOLLARS = new Set(['AUD', 'CAD', 'FJD', 'HKD', 'NZD', 'SGD', 'MXN', 'ARS', 'CLP', 'COP', 'NTD', 'UYU'])

const domains: Converter = skipBlank((text, { attribute }) =>
  each(attribute.is_multiselect ? text.trim().split(/[\s,;|]+/) : [text.trim()], (part) => {
    const website = readWebsite(part)
    if ('domain' in website) return one(website.domain)
    if ('problem' in website) return unreadable(website.problem)
    const { slug, url } = website.profile
    return { values: [], problems: [], forOtherAttributes: { [slug]: url } }
  }),
)

const phones: Converter = skipBlank((text, { country, attribute }) =>
  each(attribute.is_multiselect ? splitPhones(text) : [text.trim()], (part) =>
    one(country === undefined ? part : { original_phone_number: part, country_code: country }),
  ),
)

/** Records by what names them: companies by website, others as the API takes them. */
const references: Converter = skipBlank((text, conversion) => {
  const isByDomain = namedBy(conversion) === 'domain'
  const parts = conversion.attribute.is_multiselect ? splitList(text) : [text.trim()]
  return each(parts, (part) => {
    const website = isByDomain ? readWebsite(part) : undefined
    return one(website && 'domain' in website ? website.domain : part)
  })
})

function namedBy({ attribute, model }: ConverterContext): TypeName | undefined {
  const targets = attribute.config.record_reference?.allowed_object_ids ?? []
  const target = targets.length === 1 ? model.entityTypesById.get(targets[0] ?? '') : undefined
  return target?.kind === 'object' ? namingAttribute(target)?.type : undefined
}

const namingAttribute = (object: ObjectType): Attribute | undefined =>
  object.standard_slug === 'companies' ? findAttribute(object, 'domains') : undefined

const CONVERTERS: Readonly<Partial<Record<TypeName, Converter>>> = {
  text: asText,
  number: reading(readNumber, 'number'),
  rating: reading(readNumber, 'number'),
  checkbox: reading(readCheckbox, 'yes or no'),
  currency: readCurrency,
  date: reading(readDate, 'date that can only be one day; write it as YYYY-MM-DD'),
  timestamp: reading(readDate, 'point in time; write it as YYYY-MM-DDThh:mm:ssZ'),
  select: titles,
  status: titles,
  location: asText,
  domain: domains,
  'email-address': skipBlank((text) => each(splitEmails(text), one)),
  'phone-number': phones,
  'personal-name': limitLength((text) => (text.trim() === '' ? NO_VALUES : one(readName(text)))),
  'record-reference': references,
  'actor-reference': skipBlank((text, { attribute }) =>
    each(attribute.is_multiselect ? splitEmails(text) : [text.trim()], one),
  ),
}

export const converterOf = (type: TypeName): Converter | undefined => CONVERTERS[type]
