/** API keys, for the admins of a workspace. */

import { createKey, type KeyRow, listKeys, revokeKey, updateKey } from '../../access/tokens/api-keys'
import type { AuditActor } from '../../access/audit-log/audit'
import { isUuid } from '../../attribute-types/formats/uuids'
import { keyNotFound } from '../../errors/access'
import { emptyPayload } from '../../errors/http'
import type { ConsoleMember } from '../../http/guard/session-guard'
import type { AppContext } from '../../context'
import { timestampFromPostgres } from '../../timing/clock'
import type { KeyBody, KeyChangeBody } from './schemas'

export async function listApiKeys({ db }: AppContext, { workspaceId }: ConsoleMember): Promise<object[]> {
  return (await listKeys(db, workspaceId)).map(renderKey)
}

/** Returns the key itself, which cannot be read again. */
export async function createApiKey(
  { db, now }: AppContext,
  { workspaceId, memberId }: ConsoleMember,
  { name, scopes }: KeyBody,
  auditActor: AuditActor,
): Promise<object> {
  const { id, token } = await createKey(
    db,
    { workspaceId, name, scopes, authorizedBy: memberId, now: now() },
    auditActor,
  )
  return { ...(await getKey(db, workspaceId, id)), token }
}

/** Takes effect immediately. Throws 404. */
export async function updateApiKey(
  { db, now }: AppContext,
  key: { workspaceId: string; id: string },
  change: KeyChangeBody,
  auditActor: AuditActor,
): Promise<object> {
  if (change.name === undefined && change.scopes === undefined) throw emptyPayload()
  if (!isUuid(key.id) || !(await updateKey(db, key, change, auditActor, now()))) throw keyNotFound(key.id)
  return getKey(db, key.workspaceId, key.id)
}

/** Throws 404. */
export async function revokeApiKey(
  { db, now }: AppContext,
  key: { workspaceId: string; id: string },
  auditActor: AuditActor,
): Promise<void> {
  if (!isUuid(key.id) || !(await revokeKey(db, key, auditActor, now()))) throw keyNotFound(key.id)
}

async function getKey(db: AppContext['db'], workspaceId: string, id: string): Promise<object> {
  const key = (await listKeys(db, workspaceId)).find((one) => one.id === id.toLowerCase())
  if (key === undefined) throw keyNotFound(id)
  return renderKey(key)
}

const renderKey = ({ workspace_member_id, first_name, last_name, ...key }: KeyRow) => ({
  ...key,
  created_at: timestampFromPostgres(key.created_at),
  last_used_at: key.last_used_at === null ? null : timestampFromPostgres(key.last_used_at),
  created_by: { workspace_member_id, first_name, last_name },
})
