import { findCountry } from '#engine/attribute-types/data/countries'
import { attributeType } from '#engine/attribute-types/registry'
import { type CellConverter, type ConversionResult, oneValue } from '#transfer/import/convert/conversion'
import { convertTextConverter } from './scalars'

const PARTS = Object.keys(attributeType('location').columns)
const EMPTY_LOCATION: Readonly<Record<string, null>> = Object.fromEntries(PARTS.map((part) => [part, null]))

export const locationConverter: CellConverter = {
  convert: convertTextConverter,
  parts: { names: PARTS, convert: composeLocation },
}

/** A country that cannot be read is left out; the other parts are imported. */
function composeLocation(parts: Readonly<Record<string, string>>): ConversionResult {
  const { country_code: country } = parts
  const composed: Record<string, string | null> = { ...EMPTY_LOCATION, ...parts }
  if (country === undefined) return oneValue(composed)
  const code = findCountry(country)
  if (code !== undefined) return oneValue({ ...composed, country_code: code })
  const values = Object.keys(parts).length > 1 ? [{ ...composed, country_code: null }] : []
  return { values, problems: [`"${country}" is not a country`] }
}
