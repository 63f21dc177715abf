/** What an import may create by the access level of the member who starts it. docs/decisions/0072. */

import { importNeedsAdmin } from '../../errors/imports'
import type { MissingDefinitions } from '../../import/mapping/check-mapping'
import { isNoneMissing, type MissingPolicies, refusedDefinitions } from '../../import/policies'

const policiesOf = (accessLevel: string | undefined): MissingPolicies => {
  const policy = accessLevel === 'admin' ? 'create' : 'refuse'
  return { attributes: policy, options: policy }
}

const MAX_NAMED = 3

/** Throws 403 when an attribute or option is missing that the member may not create. */
export function refuseMissing(accessLevel: string | undefined, missing: MissingDefinitions): void {
  const refused = refusedDefinitions(missing, policiesOf(accessLevel))
  if (isNoneMissing(refused)) return
  const names = [
    ...refused.attributes.map(({ title }) => `the attribute "${title}"`),
    ...[...refused.options].flatMap(([slug, titles]) => titles.map((title) => `the option "${title}" of ${slug}`)),
  ]
  const more = names.length - MAX_NAMED
  throw importNeedsAdmin(names.slice(0, MAX_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : ''))
}
