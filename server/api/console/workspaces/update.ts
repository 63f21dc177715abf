/** Updates the name, slug, logo and settings of a workspace. */

import { audit, type AuditActor } from '#access/audit-log/audit'
import { changeWorkspaceModel } from '#engine/data-model/change-model'
import type { Workspace } from '#engine/data-model/model'
import { emptyPayload } from '#base/errors/http'
import type { AppContext } from '#context'
import type { WorkspaceChangeBody } from './schemas'
import { asSlugTaken } from './slug-taken'

export async function getWorkspace({ models }: AppContext, workspaceId: string): Promise<object> {
  return renderWorkspace((await models.reload(workspaceId)).workspace)
}

/** Throws 409 for the slug of another workspace. */
export async function updateWorkspace(
  appContext: AppContext,
  workspaceId: string,
  change: WorkspaceChangeBody,
  auditActor: AuditActor,
): Promise<object> {
  if (Object.values(change).every((value) => value === undefined)) throw emptyPayload()
  const { db, now } = appContext
  await changeWorkspaceModel(db, workspaceId, async ({ tx, control, model: { workspace } }) => {
    const { id: _, member_permissions, ...settings } = renderWorkspace({ ...workspace, ...change })
    const state = { ...settings, member_permissions: [...member_permissions] }
    await control.updateTable('relata.workspaces').set(state).where('id', '=', workspaceId).execute()
    const subject = { type: 'workspace', id: workspaceId, name: state.name }
    const details = { before: renderWorkspace(workspace), after: state }
    await audit(tx, { ...auditActor, workspaceId, action: 'workspace.updated', subject, details, now: now() })
  }).catch(asSlugTaken(change.slug ?? ''))
  return getWorkspace(appContext, workspaceId)
}

type Settings = 'id' | 'name' | 'slug' | 'logo_url' | 'creates_contacts' | 'member_permissions' | 'default_country'

const renderWorkspace = ({
  id,
  name,
  slug,
  logo_url,
  creates_contacts,
  member_permissions,
  default_country,
}: Pick<Workspace, Settings>) => ({
  id,
  name,
  slug,
  logo_url,
  creates_contacts,
  member_permissions,
  default_country,
})
