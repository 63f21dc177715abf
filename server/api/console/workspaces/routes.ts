import { Elysia } from 'elysia'
import { FIRST_PERMISSIONS } from '#vocabulary/roles'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import {
  NewWorkspaceAnswer,
  WorkspaceAnswer,
  WorkspaceBody,
  WorkspaceChangeBody,
  WorkspaceDeletionAnswer,
  WorkspaceDeletionBody,
  WorkspaceOutput,
} from './schemas'
import { runInTransaction } from '#db/run-in-transaction'
import { audit, type AuditActor } from '#access/audit-log/audit'
import { createMember } from '#access/members/members'
import { listWorkspacesOf, type WorkspaceOfAccount } from '#access/members/memberships'
import { adminsOnly, workspaceNotFound, workspaceSlugTaken } from '#base/errors/access'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { createWorkspace } from '#engine/workspaces/create-workspace'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import type { Workspace } from '#engine/data-model/model'
import { emptyPayload, invalidRequest } from '#base/errors/http'
import { timestampFromMicros } from '#base/timing/clock'
import { requestTextsAnew } from '#transfer/connected-accounts/store'
import { deleteWorkspace, listRestorableWorkspaces, restoreWorkspace } from '#api/workspace-deletion/deletion'

export const workspaceRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-workspaces' })
    .post(
      ...guard.account(
        '/console/api/workspaces',
        { response: NewWorkspaceAnswer, body: WorkspaceBody },
        async ({ session, body, address }) => ({
          data: await createWorkspaceFor(appContext, session, body, address),
        }),
      ),
    )
    .get(
      ...guard.member('/console/api/workspaces/:workspace_id', { response: WorkspaceAnswer }, async ({ member }) => ({
        data: await getWorkspace(appContext, member.workspaceId),
      })),
    )
    .patch(
      ...guard.admin(
        '/console/api/workspaces/:workspace_id',
        { response: WorkspaceAnswer, body: WorkspaceChangeBody },
        async (input) => ({
          data: await updateWorkspace(appContext, input.member.workspaceId, input.body, auditActorOf(input)),
        }),
      ),
    )
    .delete(
      ...guard.admin(
        '/console/api/workspaces/:workspace_id',
        { response: WorkspaceDeletionAnswer, body: WorkspaceDeletionBody },
        async (input) => ({
          data: await deleteNamedWorkspace(appContext, input.member.workspaceId, input.body.name, auditActorOf(input)),
        }),
      ),
    )
    .post(
      ...guard.signedIn(
        '/console/api/workspaces/:workspace_id/restore',
        { response: WorkspaceAnswer },
        async ({ session, params, address }) => ({
          data: await restoreOwnWorkspace(appContext, session, params.workspace_id, address),
        }),
      ),
    )

// Creates a further workspace. An account that is an admin of a workspace can create more.

/** The account becomes the admin, with the names it has in another workspace. Throws 403, and 409 for the slug. */
async function createWorkspaceFor(
  { db, now }: AppContext,
  session: ConsoleSession,
  { name, slug }: WorkspaceBody,
  address: string | null,
): Promise<WorkspaceOfAccount> {
  const { accountId: account_id, emailAddress: email_address } = session
  const existing = (await listWorkspacesOf(db, session)).find(isOpenAdmin)
  if (existing === undefined) throw adminsOnly()
  const { first_name, last_name } = existing
  const created = await runInTransaction(db, ({ undoable }) =>
    undoable(async (inside) => {
      const { id } = await createWorkspace(inside, { name, slug, now: now() })
      const admin = { first_name, last_name, email_address, access_level: 'admin', account_id } as const
      const member = await createMember(inside, id, admin, now())
      const actor = { type: 'workspace-member', id: member.id }
      const subject = { type: 'workspace', id, name }
      await audit(inside.sql, {
        actor,
        address,
        workspaceId: id,
        action: 'workspace.created',
        subject,
        details: { slug },
        now: now(),
      })
      return { id, workspace_member_id: member.id }
    }),
  ).catch(asSlugTaken(slug))
  const person = { access_level: 'admin', first_name, last_name } as const
  const settings = {
    logo_url: null,
    member_permissions: [...FIRST_PERMISSIONS],
    default_country: null,
    stores_email_texts: false,
    shown_objects: [],
  }
  return { ...created, name, slug, ...settings, ...person, missing_step: null }
}

const isOpenAdmin = ({ access_level, missing_step }: WorkspaceOfAccount) =>
  access_level === 'admin' && missing_step === null

/** Updates the name, slug, logo and settings of a workspace. */
async function getWorkspace({ models }: AppContext, workspaceId: string): Promise<object> {
  return renderWorkspace((await models.reload(workspaceId)).workspace)
}

/** Throws 409 for the slug of another workspace. */
async function updateWorkspace(
  appContext: AppContext,
  workspaceId: string,
  change: WorkspaceChangeBody,
  auditActor: AuditActor,
): Promise<object> {
  if (Object.values(change).every((value) => value === undefined)) throw emptyPayload()
  const { db, now, workers } = appContext
  await changeWorkspaceModel(db, workspaceId, async ({ tx, control, model: { workspace } }) => {
    const { id: _, member_permissions, shown_objects, ...settings } = renderWorkspace({ ...workspace, ...change })
    const state = { ...settings, member_permissions: [...member_permissions], shown_objects: [...shown_objects] }
    await control.updateTable('relata.workspaces').set(state).where('id', '=', workspaceId).execute()
    if (state.stores_email_texts !== workspace.stores_email_texts) await requestTextsAnew(tx, workspaceId, now())
    const subject = { type: 'workspace', id: workspaceId, name: state.name }
    const details = { before: renderWorkspace(workspace), after: state }
    await audit(tx, { ...auditActor, workspaceId, action: 'workspace.updated', subject, details, now: now() })
  }).catch(asSlugTaken(change.slug ?? ''))
  if (change.stores_email_texts !== undefined) workers?.wake('connected accounts')
  return getWorkspace(appContext, workspaceId)
}

/** Throws 400 unless the name is that of the workspace. */
async function deleteNamedWorkspace(
  { db, models, now }: AppContext,
  workspaceId: string,
  name: string,
  auditActor: AuditActor,
): Promise<object> {
  const { workspace } = await models.reload(workspaceId)
  if (name.trim() !== workspace.name)
    throw invalidRequest(`name must be the name of the workspace: "${workspace.name}".`)
  const removedAt = await deleteWorkspace(db, workspaceId, { ...auditActor, now: now() })
  return { removed_at: timestampFromMicros(removedAt) }
}

/** For admins of the deleted workspace. Throws 404 for any other. */
async function restoreOwnWorkspace(
  appContext: AppContext,
  session: ConsoleSession,
  workspaceId: string,
  address: string | null,
): Promise<object> {
  const { db, now } = appContext
  const deleted = (await listRestorableWorkspaces(db, session)).find(({ id }) => id === workspaceId)
  if (deleted === undefined) throw workspaceNotFound(workspaceId)
  const actor = { type: 'workspace-member', id: deleted.workspace_member_id }
  await restoreWorkspace(db, workspaceId, { actor, address, now: now() })
  return getWorkspace(appContext, workspaceId)
}

const SHOWN = Object.keys(WorkspaceOutput.properties) as (keyof WorkspaceOutput)[] // the members of the schema

/** What the settings show of a workspace, and all that a request may change: it may have other members. */
const renderWorkspace = (workspace: Workspace) =>
  Object.fromEntries(SHOWN.map((name) => [name, workspace[name]])) as Pick<Workspace, keyof WorkspaceOutput> // as in the line above

const UNIQUE_VIOLATION = '23505'

/** Turns PostgreSQL's unique violation of a slug into an error of the API. */
const asSlugTaken =
  (slug: string) =>
  (error: unknown): never => {
    const isTaken =
      error instanceof Error &&
      'code' in error &&
      error.code === UNIQUE_VIOLATION &&
      'constraint_name' in error &&
      error.constraint_name === 'workspaces_slug_key'
    throw isTaken ? workspaceSlugTaken(slug) : error
  }
