/** The members of groups as requests name them: by the ids of users. */

import { isObject } from '#base/validation/shapes'
import { sql } from 'kysely'
import type { Transaction } from '#db/connect'
import type { People } from '#access/teams/teams'
import { isUuid } from '#vocabulary/uuids'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { invalidFilter, invalidScimValue } from '#base/errors/protocols/scim'
import type { ScimFilter } from '#api/scim/filter/parse'
import { type Clock, timestampFromMicros } from '#base/timing/clock'
import { findProperty } from '#api/scim/json-values'
import { SCIM_LIMITS } from '#api/scim/limits'

const SHAPE = '"members" must be an array of objects with the id of a user as "value".'

/** Reads the ids of a list of members, each once. Throws 400 for another value, so that no mistake empties a group. */
export function readMemberIds(value: unknown): string[] {
  const members: unknown[] = Array.isArray(value) ? value : [value]
  if (members.length > SCIM_LIMITS.members)
    throw invalidScimValue(`A request has at most ${SCIM_LIMITS.members} members.`)
  return [...new Set(members.map(readMemberId))]
}

function readMemberId(member: unknown): string {
  if (String(findProperty(member, 'type')).toLowerCase() === 'group')
    throw invalidScimValue('A group cannot be a member of a group.')
  const id = isObject(member) ? findProperty(member, 'value') : member
  if (typeof id !== 'string') throw invalidScimValue(SHAPE)
  return id.toLowerCase()
}

/** Returns the ids that a filter of members names. Throws 400 unless the filter compares `value` with ids. */
export function idsOfFilter(filter: ScimFilter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsOfFilter)
  const isId = filter.kind === 'compare' && filter.attribute === 'value' && filter.operator === 'eq'
  if (!isId || typeof filter.operand !== 'string')
    throw invalidFilter('Members are chosen by "value eq" and an id in quotes.')
  return [filter.operand.toLowerCase()]
}

/** Finds users by ids, also by those of accepted invitations. An invitation that has expired is no user. */
export async function findPeople(
  tx: Transaction,
  { workspaceId, now }: { readonly workspaceId: string; readonly now: Clock },
  ids: readonly string[],
): Promise<People & { unknown: string[] }> {
  const uuids = ids.filter(isUuid)
  const { rows } = await sql<{ id: string; member_id: string | null; invitation_id: string | null }>`
    select given.id, m.id as member_id, i.id as invitation_id
    from unnest(${uuids}::uuid[]) as given(id)
    left join relata.accepted_invitations a on a.workspace_id = ${workspaceId} and a.invitation_id = given.id
    left join relata.workspace_members m
      on m.workspace_id = ${workspaceId} and m.id = coalesce(a.member_id, given.id)
    left join relata.invitations i on i.workspace_id = ${workspaceId} and i.id = given.id
      and i.expires_at > ${timestampFromMicros(now())}`.execute(controlQueriesIn(tx))
  const found = new Set(rows.filter((row) => row.member_id !== null || row.invitation_id !== null).map(({ id }) => id))
  return {
    members: [...new Set(rows.flatMap(({ member_id }) => member_id ?? []))],
    invitations: rows.flatMap(({ member_id, invitation_id }) => (member_id === null ? (invitation_id ?? []) : [])),
    unknown: ids.filter((id) => !found.has(id)),
  }
}

/** Throws 400 for an id without a user. */
export async function getPeople(
  tx: Transaction,
  scope: Parameters<typeof findPeople>[1],
  ids: readonly string[],
): Promise<People> {
  const people = await findPeople(tx, scope, ids)
  const [unknown] = people.unknown
  if (unknown !== undefined) throw invalidScimValue(`There is no user with the id "${unknown.slice(0, 100)}".`)
  return people
}
