/** What an import may create by the role of the member who starts it. See docs/access.md. */

import type { DataModel } from '#engine/data-model/model'
import { importNeedsAdmin } from '#base/errors/imports'
import type { MissingDefinitions } from '#transfer/import/mapping/check-mapping'
import { isNoneMissing, type MissingPolicies, refusedDefinitions } from '#transfer/import/policies'
import { hasPermission, type Role } from '#vocabulary/roles'

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
