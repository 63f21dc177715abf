/** The grants of apps in a workspace, for its admins. */

import type { AuditActor } from '#access/audit-log/audit'
import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { AppContext } from '#context'
import { grantNotFound } from '#base/errors/protocols/oauth'
import { listGrants } from '#access/oauth/tokens/grants'
import { revokeGrant } from '#access/oauth/tokens/revoke-grant'
import { renderGrant } from './render'

export const listWorkspaceGrants = async ({ db }: AppContext, workspaceId: string): Promise<object[]> =>
  (await listGrants(db, workspaceId)).map(renderGrant)

/** Throws 404. */
export async function revokeWorkspaceGrant(
  { db, now }: AppContext,
  { workspaceId, id }: { readonly workspaceId: string; readonly id: string },
  auditActor: AuditActor,
): Promise<void> {
  const revocation = { ...auditActor, now: now(), reason: 'revoked by an administrator' } as const
  const isRevoked = isUuid(id) && (await db.sql.begin((tx) => revokeGrant(tx, workspaceId, id, revocation)))
  if (!isRevoked) throw grantNotFound(id)
}
