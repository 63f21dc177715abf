/** The operations on groups as the routes call them. See docs/reference/scim.md (Groups). */

import { findTeam } from '#access/teams/teams'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { AppContext } from '#context'
import { scimResourceNotFound } from '#base/errors/protocols/scim'
import type { ScimInput } from '#api/http/scim/scim-endpoint'
import type { ScimOutput } from '#api/http/scim/scim-response'
import { conditionOf, type ScimListQuery, scimPageOf, readProjection, renderScimList } from '#api/scim/lists/list-query'
import { isShown, project } from '#api/scim/lists/projection'
import { readOperations } from '#api/scim/patch/operations'
import { scimContext, urlOfResource } from '#api/scim/scim-context'
import { changeGroup, createGroup, deleteGroup } from './change-group'
import { type GroupStep, readGroup, readGroupPatch } from './group-change'
import { groupAttributes, listGroupRows, membersOfGroups, renderGroup } from './read-groups'

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
