/** The attributes of users that filters can name. See docs/reference/scim.md (Filters). */

import { sql } from 'kysely'
import type { FilterAttributes } from '#api/scim/filter/compile'
import { compileIdComparison, userIdOf } from '#api/scim/filter/ids'

export const userAttributes = (workspaceId: string): FilterAttributes => ({
  username: { kind: 'folded text', column: sql`u.user_name` },
  emails: { kind: 'same as', name: 'username' },
  'emails.value': { kind: 'same as', name: 'username' },
  'emails.type': { kind: 'folded text', column: sql`'work'::text` },
  'emails.primary': { kind: 'boolean', column: sql`true` },
  id: {
    kind: 'own',
    compile: (operator, operand) =>
      compileIdComparison(sql`u.id`, operator, operand, (id) => userIdOf(workspaceId, id)),
  },
  externalid: { kind: 'exact text', column: sql`u.external_id` },
  'name.givenname': { kind: 'folded text', column: sql`lower(u.first_name)` },
  'name.familyname': { kind: 'folded text', column: sql`lower(u.last_name)` },
  active: { kind: 'boolean', column: sql`(u.access_level <> 'suspended')` },
  'meta.created': { kind: 'time', column: sql`u.created_at` },
  'meta.lastmodified': { kind: 'time', column: sql`u.updated_at` },
})
