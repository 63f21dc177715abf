/** A workspace's own name, slug and logo. */

import { audit, type Doer } from '../../access/audit'
import { changeDataModel } from '../../data-model/change-model'
import type { Workspace } from '../../data-model/model'
import { emptyPayload } from '../../errors/errors'
import type { Platform } from '../../platform'
import type { WorkspaceChangeBody } from './schemas'
import { asSlugTaken } from './slug-taken'

export async function showWorkspace({ models }: Platform, workspaceId: string): Promise<object> {
  return renderWorkspace((await models.reload(workspaceId)).workspace)
}

/** Throws 409 for a slug that another one has. */
export async function changeWorkspace(
  platform: Platform,
  workspaceId: string,
  change: WorkspaceChangeBody,
  doer: Doer,
): Promise<object> {
  if (Object.values(change).every((value) => value === undefined)) throw emptyPayload()
  const { db, now } = platform
  await changeDataModel(db, workspaceId, async ({ tx, model: { workspace } }) => {
    const { name, slug, logo_url } = { ...workspace, ...change }
    await tx`
      update relata.workspaces set name = ${name}, slug = ${slug}, logo_url = ${logo_url} where id = ${workspaceId}`
    const subject = { type: 'workspace', id: workspaceId, name }
    const details = { before: renderWorkspace(workspace), after: { name, slug, logo_url } }
    await audit(tx, { ...doer, workspaceId, action: 'workspace.updated', subject, details, now: now() })
  }).catch(asSlugTaken(change.slug ?? ''))
  return showWorkspace(platform, workspaceId)
}

const renderWorkspace = ({ id, name, slug, logo_url }: Workspace) => ({ id, name, slug, logo_url })
