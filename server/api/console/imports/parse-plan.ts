/** Parses the plan that a person sends from the console. */

import { findCountry } from '#engine/attribute-types/data/countries'
import type { CountryCode } from '#engine/attribute-types/data/country-codes'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { ImportError } from '#transfer/import/import-error'
import { type Mapping, parseTarget } from '#transfer/import/mapping/mapping'
import { chooseIdentification, type Identification, NO_FALLBACK } from '#transfer/import/match/identify'
import type { PlanBody } from './schemas'

/** Throws `ImportError` for a target that cannot be parsed. */
export const mappingOf = ({ match, columns }: PlanBody): Mapping => ({
  match: match ?? undefined,
  columns: new Map(Object.entries(columns).map(([name, target]) => [name, parseTarget(target)])),
})

/** Throws `ImportError` for an attribute that cannot identify a record. */
export const identificationOf = (model: DataModel, object: ObjectType, { match, fallback }: PlanBody): Identification =>
  chooseIdentification(model, object, {
    match: match ?? undefined,
    fallback: fallback === 'none' ? NO_FALLBACK : undefined,
  })

/** Throws `ImportError` for an unknown country. */
export function countryOf({ country: text }: PlanBody): CountryCode | undefined {
  if (text === null || text.trim() === '') return undefined
  const country = findCountry(text)
  if (country === undefined) throw new ImportError(`"${text}" is not a country.`)
  return country
}
