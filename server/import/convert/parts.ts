/** Values made of several columns: a place of city, state and country, a name of first and last name. */

import { findCountry } from '../../attribute-types/countries'
import { attributeType } from '../../attribute-types/registry'
import type { Attribute } from '../../data-model/model'
import type { TypeName } from '../../data-model/type-names'
import { isBlank } from './blank'
import { type Converted, NOTHING } from './converted'
import { named } from './names'

/** The parts that a column can be, by type. */
const PARTS: Readonly<Partial<Record<TypeName, readonly string[]>>> = {
  location: Object.keys(attributeType('location').columns),
  'personal-name': ['first_name', 'last_name', 'full_name'],
}

export const partsOf = (type: TypeName): readonly string[] => PARTS[type] ?? []

/** One value of texts by part; nothing when all are empty. */
export function convertParts(attribute: Attribute, texts: Readonly<Record<string, string>>): Converted {
  const parts: Record<string, string> = {}
  for (const [part, text] of Object.entries(texts)) if (!isBlank(text)) parts[part] = text.trim()
  if (Object.keys(parts).length === 0) return NOTHING
  return attribute.type === 'location' ? makePlace(parts) : makeName(parts)
}

function makePlace(parts: Record<string, string>): Converted {
  const { country_code: country, ...rest } = parts
  const country_code = country === undefined ? undefined : findCountry(country)
  const problems = country !== undefined && country_code === undefined ? [`"${country}" is no country`] : []
  if (country_code === undefined && Object.keys(rest).length === 0) return { values: [], problems }
  return { values: [{ ...EMPTY_PLACE, ...rest, country_code: country_code ?? null }], problems }
}

const EMPTY_PLACE = Object.fromEntries(partsOf('location').map((part) => [part, null]))

function makeName({ first_name = '', last_name = '', full_name }: Record<string, string>): Converted {
  const name = named(first_name, last_name)
  return { values: [{ ...name, full_name: full_name ?? name.full_name }], problems: [] }
}
