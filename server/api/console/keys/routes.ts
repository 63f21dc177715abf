/**
 * API keys, for admins and for the members whom their workspace permits keys. Such a member sees and changes only keys of their
 * own, and gives them at most their own access.
 */

import { Elysia } from 'elysia'
import { auditActorOf, type ConsoleContext } from '#api/console/console-context'
import { KeyAnswer, KeyBody, KeyChangeBody, KeysAnswer, NewKeyAnswer } from './schemas'
import { Done } from '#api/console/schemas'
import { createKey, type KeyRow, listKeys, revokeKey, updateKey } from '#access/tokens/api-keys'
import type { AuditActor } from '#access/audit-log/audit'
import { keyNotFound, keyWithMoreAccess } from '#base/errors/access'
import { emptyPayload } from '#base/errors/http'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { mayGiveToKey } from '#vocabulary/roles'
import { describeScope, type Scope } from '#vocabulary/scopes'
import { timestampFromPostgres, timestampOrNull } from '#base/timing/clock'

const KEYS = '/console/api/workspaces/:workspace_id/keys'

export const keyRoutes = ({ guard, appContext }: ConsoleContext) => {
  const permitted = guard.permitted('api_keys')
  return new Elysia({ name: 'console-keys' })
    .get(
      ...permitted(KEYS, { response: KeysAnswer }, async ({ member }) => ({
        data: await listApiKeys(appContext, member),
      })),
    )
    .post(
      ...permitted(KEYS, { response: NewKeyAnswer, body: KeyBody }, async (input) => ({
        data: await createApiKey(appContext, input.member, input.body, auditActorOf(input)),
      })),
    )
    .patch(
      ...permitted(`${KEYS}/:key_id`, { response: KeyAnswer, body: KeyChangeBody }, async (input) => {
        const { member, params, body } = input
        return { data: await updateApiKey(appContext, member, params.key_id, body, auditActorOf(input)) }
      }),
    )
    .delete(
      ...permitted(`${KEYS}/:key_id`, { response: Done }, async (input) => {
        await revokeApiKey(appContext, input.member, input.params.key_id, auditActorOf(input))
        return { data: {} }
      }),
    )
}

async function listApiKeys({ db }: AppContext, member: ConsoleMember): Promise<object[]> {
  return (await listKeys(db, member.workspaceId)).filter((key) => mayManage(member, key)).map(renderKey)
}

function requireOwnAccess(member: ConsoleMember, scopes: readonly Scope[]): void {
  const refused = scopes.filter((scope) => !mayGiveToKey(member, scope))
  if (refused.length > 0) throw keyWithMoreAccess(refused.map(describeScope))
}

const mayManage = ({ accessLevel, memberId }: ConsoleMember, key: KeyRow): boolean =>
  accessLevel === 'admin' || key.workspace_member_id === memberId

/** Returns the key itself, which cannot be read again. Throws 403 for scopes that the member cannot give. */
async function createApiKey(
  { db, now }: AppContext,
  member: ConsoleMember,
  { name, scopes }: KeyBody,
  auditActor: AuditActor,
): Promise<object> {
  requireOwnAccess(member, scopes)
  const { workspaceId, memberId } = member
  const { id, token } = await createKey(
    db,
    { workspaceId, name, scopes, authorizedBy: memberId, now: now() },
    auditActor,
  )
  return { ...renderKey(await getKey(db, member, id)), token }
}

/** Takes effect immediately. Throws 404, and 403 for scopes that the member cannot give. */
async function updateApiKey(
  { db, now }: AppContext,
  member: ConsoleMember,
  id: string,
  change: KeyChangeBody,
  auditActor: AuditActor,
): Promise<object> {
  if (change.name === undefined && change.scopes === undefined) throw emptyPayload()
  requireOwnAccess(member, change.scopes ?? [])
  await getKey(db, member, id)
  const key = { workspaceId: member.workspaceId, id }
  if (!(await updateKey(db, key, change, auditActor, now()))) throw keyNotFound(id)
  return renderKey(await getKey(db, member, id))
}

/** Throws 404. */
async function revokeApiKey(
  { db, now }: AppContext,
  member: ConsoleMember,
  id: string,
  auditActor: AuditActor,
): Promise<void> {
  await getKey(db, member, id)
  if (!(await revokeKey(db, { workspaceId: member.workspaceId, id }, auditActor, now()))) throw keyNotFound(id)
}

async function getKey(db: AppContext['db'], member: ConsoleMember, id: string): Promise<KeyRow> {
  const key = (await listKeys(db, member.workspaceId)).find((one) => one.id === id.toLowerCase())
  if (key === undefined || !mayManage(member, key)) throw keyNotFound(id)
  return key
}

const renderKey = ({ workspace_member_id, first_name, last_name, ...key }: KeyRow) => ({
  ...key,
  created_at: timestampFromPostgres(key.created_at),
  last_used_at: timestampOrNull(key.last_used_at),
  created_by: { workspace_member_id, first_name, last_name },
})
