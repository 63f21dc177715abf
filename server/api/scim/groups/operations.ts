/** The operations on groups as the routes call them. See docs/reference/scim.md (Groups). */

import {
  addToTeam,
  deleteTeam,
  findTeam,
  findTeamByName,
  insertTeam,
  removeFromTeam,
  removeOthersFromTeam,
  type TeamKey,
  type TeamRow,
  updateTeam,
  MAX_TEAM_NAME,
  type People,
} from '#access/teams/teams'
import { isUuid } from '#vocabulary/uuids'
import type { AppContext } from '#context'
import { groupExists, invalidFilter, invalidPath, invalidScimValue, scimResourceNotFound } from '#base/errors/protocols'
import type { ScimInput, ScimOutput } from '#api/http/scim/scim-endpoint'
import {
  conditionOf,
  isShown,
  project,
  readProjection,
  renderScimList,
  type ScimListQuery,
  scimPageOf,
} from '#api/scim/lists/list-query'
import { readOperations, type AttributePath, parseMemberName, type PatchOperation } from '#api/scim/patch/operations'
import {
  inTransaction,
  SCIM_LIMITS,
  scimAuditActorOf,
  scimContext,
  type ScimContext,
  urlOfResource,
} from '#api/scim/scim-context'
import { groupAttributes, listGroupRows, membersOfGroups, renderGroup } from './read-groups'
import type { Transaction } from '#db/connect'
import { audit } from '#access/audit-log/audit'
import { lockMembers } from '#access/members/members'
import { isObject } from '#base/validation/shapes'
import { findProperty, readLine, requireObject } from '#api/scim/json-values'
import { sql } from 'kysely'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { ScimFilter } from '#api/scim/filter/parse'
import { type Clock, timestampFromMicros } from '#base/timing/clock'

/** Members are read only when the response has them. */
export async function listGroups(appContext: AppContext, input: ScimInput, query: ScimListQuery): Promise<ScimOutput> {
  const context = scimContext(appContext, input)
  const { workspaceId } = context
  const { sql } = context.db
  const condition = conditionOf(query, groupAttributes(context))
  const { total, rows } = await listGroupRows(sql, workspaceId, condition, scimPageOf(query))
  const ids = rows.map(({ id }) => id)
  const members = isShown(query.projection, 'members') ? await membersOfGroups(sql, context, ids) : undefined
  const resources = rows.map((row) => {
    const location = urlOfResource(appContext, 'Groups', row.id)
    return project(renderGroup(row, location, members?.get(row.id)), query.projection)
  })
  return { status: 200, body: renderScimList(query.startIndex, total, resources) }
}

export const getGroup = (appContext: AppContext, input: ScimInput): Promise<ScimOutput> =>
  answer(appContext, input, input.params.id)

export async function postGroup(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const id = await createGroup(scimContext(appContext, input), readGroup(input.body))
  return { ...(await answer(appContext, input, id)), status: 201 }
}

export const putGroup = (appContext: AppContext, input: ScimInput): Promise<ScimOutput> =>
  change(appContext, input, readGroup(input.body))

export const patchGroup = (appContext: AppContext, input: ScimInput): Promise<ScimOutput> =>
  change(appContext, input, readGroupPatch(readOperations(input.body)))

export async function removeGroup(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  await deleteGroup(scimContext(appContext, input), input.params.id)
  return { status: 204 }
}

async function change(appContext: AppContext, input: ScimInput, steps: readonly GroupStep[]): Promise<ScimOutput> {
  await changeGroup(scimContext(appContext, input), input.params.id, steps)
  return answer(appContext, input, input.params.id)
}

/** Throws 404. */
async function answer(appContext: AppContext, input: ScimInput, id: string): Promise<ScimOutput> {
  const context = scimContext(appContext, input)
  const { sql } = context.db
  const projection = readProjection(input.query)
  const group = isUuid(id) ? await findTeam(sql, context.workspaceId, id) : undefined
  if (group === undefined) throw scimResourceNotFound('Group', id)
  const members = isShown(projection, 'members') ? await membersOfGroups(sql, context, [group.id]) : undefined
  const location = urlOfResource(appContext, 'Groups', group.id)
  return {
    status: 200,
    body: project(renderGroup(group, location, members?.get(group.id)), projection),
    location,
  }
}

// Creates, changes and deletes groups, which are teams. See docs/reference/scim.md (Groups).

/** Returns the id of the new group. Throws 400, and 409 for a name that another group has. */
async function createGroup(context: ScimContext, steps: readonly GroupStep[]): Promise<string> {
  const name = steps.find((step) => step.kind === 'rename')?.name
  if (name === undefined) throw invalidScimValue('"displayName" is required.')
  return inTransaction(context, async (tx) => {
    const { workspaceId, now } = context
    await lockMembers(tx, workspaceId)
    await refuseTakenName(tx, workspaceId, name)
    const id = await insertTeam(tx, workspaceId, { name }, now())
    await auditTeam(tx, context, 'created', { id, name })
    await runSteps(tx, context, id, steps)
    return id
  })
}

/** Changes a group by all steps or by none. Throws 400, 404 and 409. */
async function changeGroup(context: ScimContext, id: string, steps: readonly GroupStep[]): Promise<void> {
  await inTransaction(context, async (tx) => {
    await getLockedTeam(tx, context, id)
    await runSteps(tx, context, id, steps)
  })
}

/** Throws 404. */
async function deleteGroup(context: ScimContext, id: string): Promise<void> {
  await inTransaction(context, async (tx) => {
    const team = await getLockedTeam(tx, context, id)
    await deleteTeam(tx, { workspaceId: context.workspaceId, teamId: team.id })
    await auditTeam(tx, context, 'deleted', team)
  })
}

/** The lock makes concurrent changes of members wait for each other. */
async function getLockedTeam(tx: Transaction, { workspaceId }: ScimContext, id: string): Promise<TeamRow> {
  await lockMembers(tx, workspaceId)
  return getTeam(tx, workspaceId, id)
}

async function getTeam(tx: Transaction, workspaceId: string, id: string): Promise<TeamRow> {
  const team = isUuid(id) ? await findTeam(tx, workspaceId, id) : undefined
  if (team === undefined) throw scimResourceNotFound('Group', id)
  return team
}

async function runSteps(tx: Transaction, context: ScimContext, id: string, steps: readonly GroupStep[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'rename' || step.kind === 'set external id') await changeTeam(tx, context, id, step)
    else await changeMembers(tx, context, { workspaceId: context.workspaceId, teamId: id }, step)
  }
}

async function changeTeam(
  tx: Transaction,
  context: ScimContext,
  id: string,
  step: Extract<GroupStep, { kind: 'rename' | 'set external id' }>,
): Promise<void> {
  const { workspaceId, now } = context
  const before = await getTeam(tx, workspaceId, id)
  const after = step.kind === 'rename' ? { ...before, name: step.name } : { ...before, external_id: step.externalId }
  if (after.name === before.name && after.external_id === before.external_id) return
  if (after.name !== before.name) {
    await refuseTakenName(tx, workspaceId, after.name, before.id)
    await auditTeam(tx, context, 'updated', after)
  }
  await updateTeam(tx, workspaceId, after, now())
}

async function changeMembers(
  tx: Transaction,
  context: ScimContext,
  key: TeamKey,
  step: Extract<GroupStep, { kind: 'add' | 'remove' | 'replace' | 'remove all' }>,
): Promise<void> {
  const { now } = context
  if (step.kind === 'remove all') {
    await removeOthersFromTeam(tx, key, { members: [], invitations: [] }, now())
  } else if (step.kind === 'remove') {
    await removeFromTeam(tx, key, await findPeople(tx, context, step.ids), now())
  } else {
    const people = await getPeople(tx, context, step.ids)
    await addToTeam(tx, key, people, now())
    if (step.kind === 'replace') await removeOthersFromTeam(tx, key, people, now())
  }
}

async function refuseTakenName(tx: Transaction, workspaceId: string, name: string, ownId?: string): Promise<void> {
  const other = await findTeamByName(tx, workspaceId, name)
  if (other !== undefined && other.id !== ownId) throw groupExists(name)
}

const auditTeam = async (
  tx: Transaction,
  context: ScimContext,
  what: 'created' | 'updated' | 'deleted',
  { id, name }: Pick<TeamRow, 'id' | 'name'>,
) =>
  audit(tx, {
    ...(await scimAuditActorOf(tx, context)),
    workspaceId: context.workspaceId,
    action: `team.${what}`,
    subject: { type: 'team', id, name },
    now: context.now(),
  })

// What a request sets of a group. See docs/reference/scim.md (Groups).

/** One step of a change, in the order of the request. */
type GroupStep =
  | { readonly kind: 'rename'; readonly name: string }
  | { readonly kind: 'set external id'; readonly externalId: string | null }
  | { readonly kind: 'add' | 'remove' | 'replace'; readonly ids: readonly string[] }
  | { readonly kind: 'remove all' }

/** Reads the body of a POST or a PUT. Without `members`, the members do not change. Throws 400. */
const readGroup = (body: Readonly<Record<string, unknown>>): GroupStep[] => stepsOfObject(body, 'replace')

/** Reads the operations of a PATCH in their order. Throws 400. */
const readGroupPatch = (operations: readonly PatchOperation[]): GroupStep[] =>
  operations.flatMap(({ op, path, value }) => {
    if (path === undefined) return stepsOfObject(requireObject(value), op === 'add' ? 'add' : 'replace')
    return op === 'remove' ? stepsOfRemoval(path, value) : stepsOfAssignment(path, value, op)
  })

function stepsOfObject(values: Readonly<Record<string, unknown>>, op: 'add' | 'replace'): GroupStep[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = parseMemberName(name)
    // Null says nothing about a name; as members it is refused, because it could be a mistake.
    const isSet = path !== undefined && (value !== null || path.attribute === 'members')
    return isSet ? stepsOfAssignment(path, value, op) : []
  })
}

function stepsOfAssignment(path: AttributePath, value: unknown, op: 'add' | 'replace'): GroupStep[] {
  switch (path.attribute) {
    case '':
      return stepsOfObject(requireObject(value), op)
    case 'displayname':
      return [{ kind: 'rename', name: readName(value) }]
    case 'externalid':
      return [
        {
          kind: 'set external id',
          externalId: value === null ? null : readLine('externalId', value, SCIM_LIMITS.externalIdLength) || null,
        },
      ]
    case 'members':
      // Only a removal can name single members in its path.
      if (path.filter !== undefined || path.subAttribute !== '') throw invalidPath('members[…]')
      return [{ kind: op, ids: readMemberIds(value) }]
    default:
      return []
  }
}

function stepsOfRemoval({ attribute, filter, subAttribute }: AttributePath, value: unknown): GroupStep[] {
  if (attribute === 'displayname') throw invalidScimValue('A group needs a "displayName".')
  if (attribute === 'externalid') return [{ kind: 'set external id', externalId: null }]
  if (attribute !== 'members') return []
  if (subAttribute !== '') throw invalidPath(`members.${subAttribute}`)
  if (filter !== undefined) return [{ kind: 'remove', ids: idsOfFilter(filter) }]
  return value === undefined ? [{ kind: 'remove all' }] : [{ kind: 'remove', ids: readMemberIds(value) }]
}

function readName(value: unknown): string {
  const name = readLine('displayName', value, MAX_TEAM_NAME).trim()
  if (name === '') throw invalidScimValue('"displayName" must not be empty.')
  return name
}

// The members of groups as requests name them: by the ids of users.

const SHAPE = '"members" must be an array of objects with the id of a user as "value".'

/** Reads the ids of a list of members, each once. Throws 400 for another value, so that no mistake empties a group. */
function readMemberIds(value: unknown): string[] {
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
function idsOfFilter(filter: ScimFilter): string[] {
  if (filter.kind === 'or') return filter.filters.flatMap(idsOfFilter)
  const isId = filter.kind === 'compare' && filter.attribute === 'value' && filter.operator === 'eq'
  if (!isId || typeof filter.operand !== 'string')
    throw invalidFilter('Members are chosen by "value eq" and an id in quotes.')
  return [filter.operand.toLowerCase()]
}

/** Finds users by ids, also by those of accepted invitations. An invitation that has expired is no user. */
async function findPeople(
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
async function getPeople(
  tx: Transaction,
  scope: Parameters<typeof findPeople>[1],
  ids: readonly string[],
): Promise<People> {
  const people = await findPeople(tx, scope, ids)
  const [unknown] = people.unknown
  if (unknown !== undefined) throw invalidScimValue(`There is no user with the id "${unknown.slice(0, 100)}".`)
  return people
}
