import { findCountry } from '#vocabulary/countries'
import { eachLocationPart, LOCATION_PARTS } from '#vocabulary/data-model'
import { type CellConverter, type ConversionResult, oneValue } from '#transfer/import/convert/conversion'
import { convertTextConverter } from './scalars'

export const locationConverter: CellConverter = {
  convert: convertTextConverter,
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
