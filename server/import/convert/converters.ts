/** How the cell of each type of attribute is read. Types that nobody can write have no converter. */

import { findOption } from '../../attribute-types/definition/options'
import { findAttribute } from '../../data-model/find'
import type { Attribute, ObjectType } from '../../data-model/model'
import type { TypeName } from '../../data-model/type-names'
import { readAmounts } from './amounts'
import { isBlank } from './blank'
import { readCheckbox } from './checkboxes'
import { splitEmails, splitPhones } from './contacts'
import { type Conversion, type Converter, each, NOTHING, one, unusable } from './converted'
import { readDate } from './dates'
import { splitList } from './lists'
import { readName } from './names'
import { readNumber } from './numbers'
import { findTitle } from './titles'
import { readWebsite } from './websites'

/** Of a cell that is anything but a text. */
const MAX_LENGTH = 100_000

/** A converter that reads no longer cell. */
const upToLength =
  (convert: Converter): Converter =>
  (text, conversion) =>
    text.length > MAX_LENGTH
      ? unusable(`A cell for "${conversion.attribute.api_slug}" has at most ${MAX_LENGTH} characters`)
      : convert(text, conversion)

/** The same, which takes what stands for nothing as nothing. */
const unlessBlank = (convert: Converter): Converter =>
  upToLength((text, conversion) => (isBlank(text) ? NOTHING : convert(text, conversion)))

/** One value, made by a reader that gives undefined for what it cannot read. */
const reading = <T>(read: (text: string) => T | undefined, what: string): Converter =>
  unlessBlank((text) => {
    const value = read(text)
    return value === undefined ? unusable(`"${text.trim()}" is no ${what}`) : one(value)
  })

const asText: Converter = (text) => {
  const trimmed = text.trim()
  return trimmed === '' ? NOTHING : one(trimmed)
}

const titles: Converter = upToLength((text, { attribute }) => {
  const isKnown = (title: string) => findTitle(attribute, title) !== undefined
  return each(titlesIn(text, attribute, isKnown), (title) => {
    const known = findTitle(attribute, title) ?? findOption(attribute, title, 'current')?.title
    return known === undefined ? unusable(`"${title}" is no option of "${attribute.api_slug}"`) : one(known)
  })
})

/** The titles a cell names; the whole cell is one where there can only be one. */
export const titlesIn = (
  text: string,
  { is_multiselect }: Pick<Attribute, 'is_multiselect'>,
  isKnown: (title: string) => boolean,
): string[] => (is_multiselect ? splitList(text, isKnown) : [text.trim()].filter((title) => title !== ''))

const readCurrency: Converter = unlessBlank((text, { attribute }) => {
  const amounts = readAmounts(text)
  if (!amounts) return unusable(`"${text.trim()}" is no amount of money`)
  const { sum, currency } = amounts
  const own = attribute.config.currency?.default_currency_code
  // Many currencies are written with a dollar sign.
  if (currency !== undefined && own && currency !== own && !(currency === 'USD' && DOLLARS.has(own))) {
    return unusable(`"${text.trim()}" is in ${currency}, and "${attribute.api_slug}" in ${own}`)
  }
  return sum === undefined ? NOTHING : one(sum)
})

const DOLLARS = new Set(['AUD', 'CAD', 'FJD', 'HKD', 'NZD', 'SGD', 'MXN', 'ARS', 'CLP', 'COP', 'NTD', 'UYU'])

const domains: Converter = unlessBlank((text, { attribute }) =>
  each(attribute.is_multiselect ? text.trim().split(/[\s,;|]+/) : [text.trim()], (part) => {
    const website = readWebsite(part)
    if ('domain' in website) return one(website.domain)
    if ('problem' in website) return unusable(website.problem)
    const { slug, url } = website.profile
    return { values: [], problems: [], elsewhere: { [slug]: url } }
  }),
)

const phones: Converter = unlessBlank((text, { country, attribute }) =>
  each(attribute.is_multiselect ? splitPhones(text) : [text.trim()], (part) =>
    one(country === undefined ? part : { original_phone_number: part, country_code: country }),
  ),
)

/** Records by what names them: companies by website, others as the API takes them. */
const references: Converter = unlessBlank((text, conversion) => {
  const isByDomain = namedBy(conversion) === 'domain'
  const parts = conversion.attribute.is_multiselect ? splitList(text) : [text.trim()]
  return each(parts, (part) => {
    const website = isByDomain ? readWebsite(part) : undefined
    return one(website && 'domain' in website ? website.domain : part)
  })
})

function namedBy({ attribute, model }: Conversion): TypeName | undefined {
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
  'email-address': unlessBlank((text) => each(splitEmails(text), one)),
  'phone-number': phones,
  'personal-name': upToLength((text) => (text.trim() === '' ? NOTHING : one(readName(text)))),
  'record-reference': references,
  'actor-reference': unlessBlank((text, { attribute }) =>
    each(attribute.is_multiselect ? splitEmails(text) : [text.trim()], one),
  ),
}

export const converterOf = (type: TypeName): Converter | undefined => CONVERTERS[type]
