/** Compares ids in filters. */

import { sql } from 'kysely'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import { invalidFilter } from '#base/errors/protocols/scim'
import { type Condition, compileText } from './compile'
import type { Operand, Operator } from './filter'

/** The id of an accepted invitation stands for its member. */
export const userIdOf = (workspaceId: string, id: string): Condition => sql`coalesce((
  select member_id from relata.accepted_invitations a
  where a.workspace_id = ${workspaceId} and a.invitation_id = ${id}::uuid), ${id}::uuid)`

/** `idOf` returns the id to compare the column with. No resource has an id that is no UUID. */
export function compileIdComparison(
  column: Condition,
  operator: Operator | 'pr',
  operand: Operand,
  idOf: (id: string) => Condition,
): Condition {
  if (operator === 'pr') return sql`true`
  if (operand === null) return operator === 'ne' ? sql`true` : sql`false`
  if (typeof operand !== 'string') throw invalidFilter('An id is compared with a text in quotes.')
  const isId = isUuid(operand)
  if (operator === 'eq') return isId ? sql`${column} = ${idOf(operand)}` : sql`false`
  if (operator === 'ne') return isId ? sql`${column} <> ${idOf(operand)}` : sql`true`
  return compileText(sql`${column}::text`, operator, operand)
}
