import type { TObject, TSchema } from 'typebox'
import { adminsOnly } from '#base/errors/access'
import { includesScope, requireAllScopes, type Scope } from '#vocabulary/scopes'
import type { Caller } from './caller'
import type { PathParams, RouteSpec } from './route'

type RequiredScopes = Pick<RouteSpec<TObject, TSchema>, 'scopes' | 'otherScopes' | 'memberScopes'>

/** Throws 403 unless the caller has the scopes of the route. */
export function requireScopes({ scopes: granted, clientId }: Caller, params: PathParams, spec: RequiredScopes): void {
  const { scopes, otherScopes, memberScopes } = spec
  const isMember = clientId === undefined
  const required = (isMember ? memberScopes : undefined) ?? (typeof scopes === 'function' ? scopes(params) : scopes)
  const hasAll = (all: readonly Scope[]) => all.every((scope) => includesScope(granted, scope))
  if (hasAll(required) || (otherScopes && hasAll(otherScopes))) return
  if (isMember) throw adminsOnly()
  requireAllScopes(granted, required)
}
