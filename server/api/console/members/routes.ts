import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { MemberAnswer, MemberChangeBody, MembersAnswer } from './schemas'
import { audit, type AuditActor } from '#access/audit-log/audit'
import {
  findMember,
  isOnlyAdmin,
  listMembers,
  type MemberRow,
  requireSeat,
  updateMember,
} from '#access/members/members'
import { isUuid } from '#vocabulary/uuids'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import { adminsOnly, lastAdmin, memberNotFound } from '#base/errors/access'
import { emptyPayload } from '#base/errors/http'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { timestampFromPostgres } from '#base/timing/clock'

const MEMBERS = '/console/api/workspaces/:workspace_id/members'

export const memberRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-members' })
    .get(
      ...guard.member(MEMBERS, { response: MembersAnswer }, async ({ member }) => ({
        data: await listWorkspaceMembers(appContext, member),
      })),
    )
    .patch(
      ...guard.member(
        `${MEMBERS}/:workspace_member_id`,
        { response: MemberAnswer, body: MemberChangeBody },
        async (input) => {
          const { member, params, body } = input
          return {
            data: await updateWorkspaceMember(
              appContext,
              member,
              params.workspace_member_id,
              body,
              auditActorOf(input),
            ),
          }
        },
      ),
    )

// Members and their access levels. A suspended member has no access from the next request on. See docs/reference/access-and-oauth.md
// (Workspace members).

async function listWorkspaceMembers({ db }: AppContext, { workspaceId }: ConsoleMember): Promise<object[]> {
  return (await listMembers(db, workspaceId)).map(renderMember)
}

/** Members can change their own names; admins can change all members. Throws 403, 404, and 409 for the last admin. */
async function updateWorkspaceMember(
  { db, models, now, settings }: AppContext,
  { workspaceId, memberId, accessLevel }: ConsoleMember,
  id: string,
  change: MemberChangeBody,
  auditActor: AuditActor,
): Promise<object> {
  const isOwnName = id.toLowerCase() === memberId && change.access_level === undefined
  if (accessLevel !== 'admin' && !isOwnName) throw adminsOnly()
  if (Object.values(change).every((value) => value === undefined)) throw emptyPayload()
  if (!isUuid(id)) throw memberNotFound(id)
  const changed = await changeWorkspaceModel(db, workspaceId, async ({ tx }) => {
    const before = await findMember({ sql: tx }, workspaceId, id)
    if (before === undefined) throw memberNotFound(id)
    const after = { ...before, ...change }
    if (after.access_level !== 'admin' && (await isOnlyAdmin(tx, workspaceId, before))) throw lastAdmin()
    await updateMember(tx, workspaceId, before, after, now())
    const isActivated = before.access_level === 'suspended' && after.access_level !== 'suspended'
    if (isActivated) await requireSeat(tx, workspaceId, settings.memberQuota)
    await audit(tx, {
      ...auditActor,
      workspaceId,
      action: 'member.updated',
      subject: { type: 'workspace-member', id: before.id, name: before.email_address },
      details: differences(before, after),
      now: now(),
    })
    return after
  })
  await models.reload(workspaceId)
  return renderMember(changed)
}

const FIELDS = ['access_level', 'first_name', 'last_name'] as const

/** Returns the old and the new value of each changed field. */
const differences = (before: MemberRow, after: MemberRow) =>
  Object.fromEntries(
    FIELDS.filter((field) => before[field] !== after[field]).map((field) => [
      field,
      { before: before[field], after: after[field] },
    ]),
  )

export const renderMember = ({ account_id, ...member }: MemberRow) => ({
  ...member,
  created_at: timestampFromPostgres(member.created_at),
  /** A member without an account cannot sign in. */
  has_account: account_id !== null,
})
