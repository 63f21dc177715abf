/** Values made of several columns: a place of city, state and country, a name of first and last name. */

import { findCountry } from '../../attribute-types/data/countries'
import { attributeType } from '../../attribute-types/registry'
import type { Attribute } from '../../data-model/model'
import type { TypeName } from '../../data-model/type-names'
import type { BoundColumn } from '../mapping/bind-columns'
import { isBlank } from './readers/blank'
import { type ConversionResult, NO_VALUES, one } from './conversion'
import { named } from './readers/names'

/** The parts that a column can be, by type. */
const PARTS: Readonly<Partial<Record<TypeName, readonly string[]>>> = {
  location: Object.keys(attributeType('location').columns),
  'personal-name': ['first_name', 'last_name', 'full_name'],
}

export const partsOf = (type: TypeName): readonly string[] => PARTS[type] ?? []

/** One value of the cells that are its parts; nothing when all are empty. */
export function convertParts(
  attribute: Attribute,
  columns: readonly BoundColumn[],
  cells: readonly string[],
): ConversionResult {
  const parts: Record<string, string> = {}
  let isEmpty = true
  for (const { index, part } of columns) {
    const text = (cells[index] ?? '').trim()
    if (part === undefined || isBlank(text)) continue
    parts[part] = text
    isEmpty = false
  }
  if (isEmpty) return NO_VALUES
  return attribute.type === 'location' ? makePlace(parts) : makeName(parts)
}

function makePlace(parts: Record<string, string>): ConversionResult {
  const { country_code: country } = parts
  const place: Record<string, string | null> = { ...EMPTY_PLACE, ...parts }
  if (country === undefined) return one(place)
  const code = findCountry(country)
  if (code !== undefined) {
    place.country_code = code
    return one(place)
  }
  place.country_code = null
  const values = Object.keys(parts).length > 1 ? [place] : []
  return { values, problems: [`"${country}" is no country`] }
}

const EMPTY_PLACE: Readonly<Record<string, null>> = Object.fromEntries(partsOf('location').map((part) => [part, null]))

function makeName({ first_name = '', last_name = '', full_name }: Record<string, string>): ConversionResult {
  const name = named(first_name, last_name)
  return one(full_name === undefined ? name : { ...name, full_name })
}
