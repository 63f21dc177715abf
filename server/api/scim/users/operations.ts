/** The operations on users as the routes call them. See docs/reference/scim.md (Users). */

import { avatarUrl } from '#access/members/pictures'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { AppContext } from '#context'
import { scimResourceNotFound } from '#base/errors/protocols/scim'
import type { ScimInput } from '#api/http/scim/scim-endpoint'
import type { ScimOutput } from '#api/http/scim/scim-response'
import { conditionOf, type ListQuery, pageOf, readProjection, renderList } from '#api/scim/lists/list-query'
import { isShown, project, type Projection } from '#api/scim/lists/projection'
import { readOperations } from '#api/scim/patch/operations'
import { scimContext, urlOfResource } from '#api/scim/scim-context'
import { createUser } from './create'
import { userAttributes } from './filter-attributes'
import { type RenderedTeam, renderUser } from './render'
import { findUser, listTeamsOfUser, listUserRows, type UserRow } from './store'
import { deleteUser, updateUser } from './update'
import { readUser, readUserPatch } from './user-change'

export async function listUsers(appContext: AppContext, input: ScimInput, query: ListQuery): Promise<ScimOutput> {
  const context = scimContext(appContext, input)
  const condition = conditionOf(query, userAttributes(context.workspaceId))
  const { total, rows } = await listUserRows(context.db.sql, context, condition, pageOf(query))
  const resources = rows.map((row) => project(render(appContext, row), query.projection))
  return { status: 200, body: renderList(query.startIndex, total, resources) }
}

export async function getUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const { params, query } = input
  const context = scimContext(appContext, input)
  const { sql } = context.db
  const user = isUuid(params.id) ? await findUser(sql, context, params.id) : undefined
  if (user === undefined) throw scimResourceNotFound('User', params.id)
  const projection = readProjection(query)
  const showsTeams = isShown(projection, 'groups')
  const teams = showsTeams ? await listTeamsOfUser(sql, context.workspaceId, user.id) : undefined
  return answer(appContext, user, projection, teams)
}

export async function postUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const user = await createUser(scimContext(appContext, input), readUser(input.body))
  return { ...answer(appContext, user, readProjection(input.query)), status: 201 }
}

export async function putUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const change = readUser(input.body)
  const user = await updateUser(scimContext(appContext, input), input.params.id, change)
  return answerChanged(appContext, user, input)
}

export async function patchUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  const change = readUserPatch(readOperations(input.body))
  const user = await updateUser(scimContext(appContext, input), input.params.id, change)
  return answerChanged(appContext, user, input)
}

export async function removeUser(appContext: AppContext, input: ScimInput): Promise<ScimOutput> {
  await deleteUser(scimContext(appContext, input), input.params.id)
  return { status: 204 }
}

const answerChanged = (appContext: AppContext, user: UserRow | undefined, { query }: ScimInput): ScimOutput =>
  user === undefined ? { status: 204 } : answer(appContext, user, readProjection(query))

function answer(
  appContext: AppContext,
  user: UserRow,
  projection: Projection,
  teams?: readonly RenderedTeam[],
): ScimOutput {
  return {
    status: 200,
    body: project(render(appContext, user, teams), projection),
    location: locationOf(appContext, user),
  }
}

const render = (appContext: AppContext, user: UserRow, teams?: readonly RenderedTeam[]) => {
  const avatar_url = avatarUrl(appContext.settings.appUrl, user.avatar_url)
  return renderUser({ ...user, avatar_url }, locationOf(appContext, user), teams)
}

const locationOf = (appContext: AppContext, { id }: UserRow): string => urlOfResource(appContext, 'Users', id)
