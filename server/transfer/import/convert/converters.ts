/** Reads the cells of an import: the converter of each attribute type. A type without a line here does not compile. */

import type { Attribute } from '#engine/data-model/model'
import { eachLocationPart, LOCATION_PARTS, type TypeName } from '#vocabulary/data-model'
import {
  type CellConverter,
  type ConversionResult,
  type ConvertCell,
  convertEach,
  type ConverterContext,
  limitLength,
  NO_VALUES,
  oneValue,
  skipBlank,
  unreadable,
} from './conversion'
import { joinName, readCheckbox, readDate, readName, readNumber } from '#vocabulary/written-values'
import { findOptionTitle, readAmounts, readWebsite, splitEmails, splitList, splitPhones } from './readers'
import { findCountry } from '#vocabulary/countries'
import { findOption } from '#engine/attribute-types/definition/options'
import { attributeType } from '#engine/attribute-types/registry'
import { allowedObjectIds, findAttribute, findRecordType, isRecordId } from '#engine/data-model/find'
import { keyAttributeOf } from '#engine/attribute-types/formats/references'
import { isUuid } from '#vocabulary/uuids'

// Types whose cells hold one plain value.

/** `read` gives undefined for a text that is not `expected`. */
const readWith = <T>(read: (text: string) => T | undefined, expected: string): CellConverter => ({
  convert: skipBlank((text) => {
    const value = read(text)
    return value === undefined ? unreadable(`"${text.trim()}" is not ${expected}`) : oneValue(value)
  }),
})

/** Texts have no limit of their own and no blank words: `none` is a text. */
const convertText: ConvertCell = (text, { isExact }) => {
  if (isExact) return text === '' ? NO_VALUES : oneValue(text)
  const trimmed = text.trim()
  return trimmed === '' ? NO_VALUES : oneValue(trimmed)
}

const textConverter: CellConverter = { convert: convertText }
const numberConverter = readWith(readNumber, 'a number')
const checkboxConverter = readWith(readCheckbox, 'yes or no')
const dateConverter = readWith(readDate, 'a date that can only be one day; write it as YYYY-MM-DD')
const timestampConverter = readWith(readDate, 'a point in time; write it as YYYY-MM-DDThh:mm:ssZ')

const personalNameConverter: CellConverter = {
  convert: limitLength((text) => (text.trim() === '' ? NO_VALUES : oneValue(readName(text)))),
  parts: {
    names: ['first_name', 'last_name', 'full_name'],
    convert({ first_name = '', last_name = '', full_name }, isExact) {
      if (isExact) return oneValue({ first_name, last_name, full_name: full_name ?? '' })
      const name = joinName(first_name, last_name)
      return oneValue(full_name === undefined ? name : { ...name, full_name })
    },
  },
}

// Email addresses and telephone numbers.

const emailAddressConverter: CellConverter = {
  convert: skipBlank((text) => convertEach(splitEmails(text), oneValue)),
}

const phoneNumberConverter: CellConverter = {
  convert: skipBlank((text, { country, attribute }) =>
    convertEach(attribute.is_multiselect ? splitPhones(text) : [text.trim()], (part) =>
      oneValue(country === undefined ? part : { original_phone_number: part, country_code: country }),
    ),
  ),
}

const locationConverter: CellConverter = {
  convert: convertText,
  parts: { names: LOCATION_PARTS, convert: composeLocation },
}

/** A country that cannot be read is left out; the other parts are imported. */
function composeLocation(parts: Readonly<Record<string, string>>): ConversionResult {
  const { country_code: country } = parts
  const composed: Record<string, string | null> = { ...eachLocationPart(null), ...parts }
  if (country === undefined) return oneValue(composed)
  const code = findCountry(country)
  if (code !== undefined) return oneValue({ ...composed, country_code: code })
  const values = Object.keys(parts).length > 1 ? [{ ...composed, country_code: null }] : []
  return { values, problems: [`"${country}" is not a country`] }
}

const currencyConverter: CellConverter = {
  convert: skipBlank((text, { attribute }) => {
    const amounts = readAmounts(text)
    if (!amounts) return unreadable(`"${text.trim()}" is not an amount of money`)
    const { sum, currency: code } = amounts
    const expected = attribute.config.currency?.default_currency_code
    if (code !== undefined && expected && !isWrittenAs(code, expected)) {
      return unreadable(`"${text.trim()}" is in ${code}, and "${attribute.api_slug}" in ${expected}`)
    }
    return sum === undefined ? NO_VALUES : oneValue(sum)
  }),
}

/** A dollar sign is read as USD, and many currencies are written with it. */
const isWrittenAs = (code: string, expected: string): boolean =>
  code === expected || (code === 'USD' && DOLLARS.has(expected))

const DOLLARS = new Set(['AUD', 'CAD', 'FJD', 'HKD', 'NZD', 'SGD', 'MXN', 'ARS', 'CLP', 'COP', 'NTD', 'UYU'])

const domainConverter: CellConverter = {
  convert: skipBlank((text, { attribute, isExact }) =>
    convertEach(attribute.is_multiselect ? text.trim().split(/[\s,;|]+/) : [text.trim()], (part) => {
      if (isExact) return oneValue(part)
      const website = readWebsite(part)
      if ('domain' in website) return oneValue(website.domain)
      if ('problem' in website) return unreadable(website.problem)
      const { slug, url } = website.profile
      return { values: [], problems: [], forOtherAttributes: { [slug]: url } }
    }),
  ),
}

// Options by title: select and status.

const optionsConverter: CellConverter = {
  convert: limitLength((text, { attribute }) => {
    const isOption = (title: string) => findOptionTitle(attribute, title) !== undefined
    return convertEach(splitTitles(text, attribute, isOption), (title) => {
      const found = findOptionTitle(attribute, title) ?? findOption(attribute, title, 'current')?.title
      return found === undefined
        ? unreadable(`"${title}" is not an option of "${attribute.api_slug}"`)
        : oneValue(found)
    })
  }),
}

/** The titles that a cell names. For an attribute with a single value, the whole cell is one title. */
export const splitTitles = (
  text: string,
  { is_multiselect }: Pick<Attribute, 'is_multiselect'>,
  isOption: (title: string) => boolean,
): string[] => (is_multiselect ? splitList(text, isOption) : [text.trim()].filter((title) => title !== ''))

// References to records and to members.

/**
 * A company may be named by its website. All other records are named as the API accepts them. An export writes the object before the
 * record, `people:ada@example.com`, where an attribute allows several.
 */
const recordReferenceConverter: CellConverter = {
  convert: skipBlank((text, context) => {
    if (context.isExact && allowedObjectIds(context.attribute).length !== 1)
      return convertEach(splitList(text), (part) => oneValue(readNamedRecord(part, context)))
    const isByDomain = refersToDomains(context)
    const parts = context.attribute.is_multiselect ? splitList(text) : [text.trim()]
    return convertEach(parts, (part) => {
      const website = isByDomain ? readWebsite(part) : undefined
      return oneValue(website && 'domain' in website ? website.domain : part)
    })
  }),
}

/** The value of `object:key`. The attribute type refuses any other text. */
function readNamedRecord(text: string, { model }: ConverterContext): unknown {
  const [, slug = '', name = ''] = /^([^:]+):(.+)$/.exec(text) ?? []
  const object = findRecordType(model, slug)
  if (object === undefined) return text
  if (isUuid(name)) return { target_object: slug, target_record_id: name }
  const key = keyAttributeOf(object)
  return key === undefined ? text : { target_object: slug, [key.api_slug]: [name] }
}

function refersToDomains({ attribute, model }: ConverterContext): boolean {
  const targets = allowedObjectIds(attribute)
  const target = targets.length === 1 ? model.entityTypesById.get(targets[0] ?? '') : undefined
  if (target?.kind !== 'object' || target.standard_slug !== 'companies') return false
  const domains = findAttribute(target, 'domains')
  return domains !== undefined && attributeType(domains.type).isUrlValue === true
}

const actorReferenceConverter: CellConverter = {
  convert: skipBlank((text, { attribute }) =>
    convertEach(attribute.is_multiselect ? splitEmails(text) : [text.trim()], oneValue),
  ),
}

/** The service computes all values of the type, so an import never writes them. */
const READ_ONLY = null

const CONVERTERS: Readonly<Record<TypeName, CellConverter | typeof READ_ONLY>> = {
  text: textConverter,
  number: numberConverter,
  rating: numberConverter,
  checkbox: checkboxConverter,
  currency: currencyConverter,
  date: dateConverter,
  timestamp: timestampConverter,
  select: optionsConverter,
  status: optionsConverter,
  location: locationConverter,
  domain: domainConverter,
  'email-address': emailAddressConverter,
  'phone-number': phoneNumberConverter,
  'personal-name': personalNameConverter,
  'record-reference': recordReferenceConverter,
  'actor-reference': actorReferenceConverter,
  interaction: READ_ONLY,
}

/** Undefined for a type that an import never writes. */
export const findConverter = (type: TypeName): CellConverter | undefined => CONVERTERS[type] ?? undefined

/** Whether a column can go to the attribute. The ids of records are not written: they match rows with records. */
export const isImportable = (attribute: Attribute): boolean =>
  isRecordId(attribute) || (attribute.is_writable && findConverter(attribute.type) !== undefined)

/** The parts of a value that columns can go to; empty for most types. */
export const partsOf = (type: TypeName): readonly string[] => findConverter(type)?.parts?.names ?? []
