/** Sets the access of members and teams to objects, and shows members their own. See docs/access.md (Access to objects). */

import { Elysia } from 'elysia'
import { equal } from '#engine/data-model/kysely-in-transaction'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { ObjectAccessAnswer, ObjectAccessBody, type OwnObjectAccess, OwnObjectAccessAnswer } from './schemas'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { requireTeams } from '#access/teams/teams'
import type { AppContext } from '#context'
import { changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import { findObject } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'
import { objectAccessOf } from '#engine/data-model/access/member-model'
import { objectNotFound } from '#base/errors/attributes'
import type { ConsoleMember } from '#api/http/guard/session-guard'

const WORKSPACE = '/console/api/workspaces/:workspace_id'
const ACCESS = `${WORKSPACE}/objects/:object_id/access`

export const objectAccessRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-object-access' })
    .get(
      ...guard.member(`${WORKSPACE}/object-access`, { response: OwnObjectAccessAnswer }, ({ member }) =>
        listObjectAccess(appContext, member),
      ),
    )
    .get(
      ...guard.admin(ACCESS, { response: ObjectAccessAnswer }, async ({ member, params }) => ({
        data: await grantsOfObject(appContext, member, params.object_id),
      })),
    )
    .put(
      ...guard.admin(ACCESS, { response: ObjectAccessAnswer, body: ObjectAccessBody }, async (input) => {
        const { member, params, body } = input
        const change = { grants: body, auditActor: auditActorOf(input) }
        return { data: await replaceObjectGrants(appContext, member, params.object_id, change) }
      }),
    )

/** Returns the objects that the member sees, in creation order, and which of them and of the activities were never used. */
async function listObjectAccess({ models }: AppContext, member: ConsoleMember): Promise<OwnObjectAccessAnswer> {
  const model = await models.get(member.workspaceId)
  const data: OwnObjectAccess[] = []
  const never_used: string[] = []
  for (const type of model.entityTypes) {
    if (type.kind === 'list' || type.isDeleted) continue
    const access = type.kind === 'object' ? objectAccessOf(model, member.memberId, type) : undefined
    if (access === 'hidden') continue
    if (type.isUnused) never_used.push(type.id)
    if (type.kind === 'object' && access !== undefined)
      data.push({ object_id: type.id, access, ...(member.accessLevel === 'admin' && { grants: grantsOf(type) }) })
  }
  return { data, never_used }
}

async function grantsOfObject(
  { models }: AppContext,
  { workspaceId }: ConsoleMember,
  object: string,
): Promise<ObjectAccessBody> {
  return grantsOf(requireObject(await models.get(workspaceId), object))
}

/** Replaces the access of all members and all teams. Throws 404 for an unknown object or team. */
async function replaceObjectGrants(
  { db, models, now }: AppContext,
  { workspaceId }: ConsoleMember,
  object: string,
  { grants, auditActor }: { readonly grants: ObjectAccessBody; readonly auditActor: AuditActor },
): Promise<ObjectAccessBody> {
  await changeWorkspaceModel(db, workspaceId, async (step) => {
    const found = requireObject(step.model, object)
    await requireTeams(step.tx, workspaceId, grants.teams)
    await storeGrants(step, found, grants)
    await audit(step.tx, {
      ...auditActor,
      workspaceId,
      action: 'object.access-changed',
      subject: { type: 'object', id: found.id, name: found.plural_noun },
      details: { before: grantsOf(found), after: grants },
      now: now(),
    })
  })
  return grantsOf(requireObject(await models.reload(workspaceId), object))
}

/** Finds disabled objects also. */
function requireObject(model: DataModel, slugOrId: string): ObjectType {
  const object = findObject(model, slugOrId)
  if (object === undefined) throw objectNotFound(slugOrId)
  return object
}

const grantsOf = ({ grants }: ObjectType): ObjectAccessBody => ({
  members: grants?.members ?? 'read-write',
  teams: (grants?.teams ?? []).map(({ team_id, access }) => ({ team_id, access })),
})

async function storeGrants({ control, model }: ModelChange, { id }: ObjectType, grants: ObjectAccessBody) {
  const workspace_id = model.workspace.id
  await control
    .updateTable('relata.objects')
    .set({ member_access: grants.members })
    .where(equal({ workspace_id, id }))
    .execute()
  await control
    .deleteFrom('relata.object_teams')
    .where(equal({ workspace_id, object_id: id }))
    .execute()
  if (grants.teams.length === 0) return
  const rows = grants.teams.map((team) => ({ workspace_id, object_id: id, ...team }))
  await control.insertInto('relata.object_teams').values(rows).execute()
}
