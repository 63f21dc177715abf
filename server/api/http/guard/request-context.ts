import type { ApiContext, AppContext } from '#context'
import { modelOfMember } from '#engine/data-model/access/member-model'
import type { Caller } from './caller'
import type { TObject, TSchema } from 'typebox'
import { adminsOnly, memberTokenRequired, requireAllScopes, workspaceTokenRequired } from '#base/errors/access'
import { includesScope, type Scope } from '#vocabulary/scopes'
import type { RouteSpec } from './route'

/** Makes the context of a caller's read, which may run on the replica. */
export function makeReadContext(appContext: AppContext, caller: Caller, request: Request): Promise<ApiContext> {
  const { db, replica } = appContext
  if (replica === undefined) return makeRequestContext(appContext, caller, request)
  return makeRequestContext({ ...appContext, db: { ...db, replica: replica.accessOf(caller) } }, caller, request)
}

/** Makes the context of a caller's request. Loads the data model of the workspace if it is not cached. */
export async function makeRequestContext(
  appContext: AppContext,
  { workspaceId, actor, authorizedBy, scopes, clientId, level }: Caller,
  request: Request,
): Promise<ApiContext> {
  const { db, models, now, blobs, indexes, costLimit, limits, targets, events, settings } = appContext
  const { workers, videos, sqlRunner, mail } = appContext
  return {
    model: modelOfMember(await models.get(workspaceId), authorizedBy),
    reloadModel: async () => modelOfMember(await models.reload(workspaceId), authorizedBy),
    actor,
    memberId: authorizedBy,
    clientId: level === 'user' ? undefined : clientId,
    tokenLevel: level,
    scopes,
    db,
    now,
    blobs,
    // A getter, because Bun makes the signal at the first access and few operations use it.
    get signal() {
      return request.signal
    },
    indexes,
    costLimit,
    targets,
    events,
    workers,
    videos,
    sqlRunner,
    limits,
    brand: settings.brand,
    appUrl: settings.appUrl,
    sendsEmail: mail.isDelivered,
    objectQuota: settings.objectQuota,
    trashDays: settings.trashDays,
    sendLimit: settings.sendLimit,
    strictContract: settings.strictContract,
  }
}

type RequiredScopes = Pick<RouteSpec<TObject, TSchema>, 'scopes' | 'otherScopes' | 'memberScopes' | 'tokenLevel'>

/** Throws 403 unless the caller has the scopes of the route, and a token of its level. */
export function requireScopes({ scopes: granted, clientId, level }: Caller, spec: RequiredScopes): void {
  const { scopes, otherScopes = [], memberScopes, tokenLevel } = spec
  if (tokenLevel === 'workspace' && level === 'user') throw workspaceTokenRequired()
  const isMember = clientId === undefined
  const required = (isMember ? memberScopes : undefined) ?? scopes
  const hasAll = (all: readonly Scope[]) => all.every((scope) => includesScope(granted, scope))
  if (!hasAll(required) && !otherScopes.some(hasAll)) {
    if (isMember) throw adminsOnly()
    requireAllScopes(granted, required)
  }
  if (tokenLevel === 'user' && !isMember && level !== 'user') throw memberTokenRequired()
}
