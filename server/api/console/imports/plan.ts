/** Parses the plan that a person sends from the console. */

import { type CountryCode, findCountry } from '#vocabulary/countries'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { ImportError } from '#transfer/import/import-context'
import { type Mapping, parseTarget } from '#transfer/import/mapping/mapping'
import { chooseIdentification, type Identification, NO_FALLBACK } from '#transfer/import/match/identify'
import type { PlanBody } from './schemas'
import { importNeedsAdmin } from '#base/errors/imports'
import type { MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import { isNoneMissing, type MissingPolicies, refusedDefinitions } from '#transfer/import/policies'
import { hasPermission, type Role } from '#vocabulary/roles'

/** Throws `ImportError` for a target that cannot be parsed. */
export const mappingOf = ({ match, columns }: PlanBody): Mapping => ({
  match: match ?? undefined,
  columns: new Map(Object.entries(columns).map(([name, target]) => [name, parseTarget(target)])),
})

/** Throws `ImportError` for an attribute that cannot identify a record. */
export const identificationOf = (model: DataModel, object: ObjectType, plan: PlanBody): Identification =>
  chooseIdentification(model, object, {
    ...mappingOf(plan),
    match: plan.match ?? undefined,
    fallback: plan.fallback === 'none' ? NO_FALLBACK : undefined,
  })

/** Throws `ImportError` for an unknown country. */
export function countryOf({ country: text }: PlanBody): CountryCode | undefined {
  if (text === null || text.trim() === '') return undefined
  const country = findCountry(text)
  if (country === undefined) throw new ImportError(`"${text}" is not a country.`)
  return country
}

// What an import may create by the role of the member who starts it. See docs/access.md.

/** The member may have another role, or have left, since the import was queued. */
const roleOf = ({ membersById, workspace }: DataModel, memberId: string): Role => ({
  accessLevel: membersById.get(memberId)?.access_level ?? 'suspended',
  memberPermissions: workspace.member_permissions,
})

const policiesOf = (role: Role): MissingPolicies => {
  const policy = hasPermission(role, 'import_definitions') ? 'create' : 'refuse'
  return { attributes: policy, options: policy }
}

const MAX_NAMED = 3

/** Throws 403 when an attribute or option is missing that the member may not create. The message names the first few. */
export function refuseMissing(model: DataModel, memberId: string, missing: MissingDefinitions): void {
  const refused = refusedDefinitions(missing, policiesOf(roleOf(model, memberId)))
  if (isNoneMissing(refused)) return
  const names = [
    ...refused.attributes.map(({ title }) => `the attribute "${title}"`),
    ...[...refused.options].flatMap(([slug, titles]) => titles.map((title) => `the option "${title}" of ${slug}`)),
  ]
  const more = names.length - MAX_NAMED
  throw importNeedsAdmin(names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : ''))
}
