/** The scopes that an app requests, and how the consent page shows them. */

import { type Area, includesScope, isScope, type Scope, SCOPES_IN_ORDER } from '#vocabulary/scopes'

/**
 * Returns the available scopes that a request names. Clients send outdated scopes, so unavailable ones are ignored. A
 * request that names no available scope gets all of them.
 * See docs/reference/access-and-oauth.md (Authorization request).
 */
export function requestedScopes(available: readonly Scope[], requested: string | undefined): readonly Scope[] {
  const allowed = new Set(available)
  const named = new Set((requested ?? '').split(' ').filter(isScope))
  const granted = [...named].filter((scope) => includesScope(allowed, scope))
  return granted.length > 0 ? granted : available
}

export interface DescribedScope {
  readonly scope: Scope
  readonly area: Area
  readonly level: 'read' | 'read-write'
  /** The scope can destroy data, send data out of the workspace, or read private data. */
  readonly is_dangerous: boolean
}

/** Areas whose read-write scope can destroy data or send it out of the workspace. */
const DANGEROUS_TO_WRITE: ReadonlySet<Area> = new Set<Area>([
  'user_management',
  'record_permission',
  'object_configuration',
  'list_configuration',
  'activity_record',
  'activity_configuration',
  'webhook',
])

/** Areas of which reading is dangerous as well. */
const DANGEROUS_TO_READ: ReadonlySet<Area> = new Set<Area>(['private_collection'])

/** Sorts scopes in the order of `SCOPES_IN_ORDER`, which the consent page has for every order in which an app names them. */
export const sortScopes = (scopes: readonly Scope[]): Scope[] =>
  scopes.toSorted((a, b) => SCOPES_IN_ORDER.indexOf(a) - SCOPES_IN_ORDER.indexOf(b))

export function describeForConsent(scope: Scope): DescribedScope {
  const [area, level] = scope.split(':') as [Area, 'read' | 'read-write'] // every Scope has both parts
  const isDangerous = DANGEROUS_TO_READ.has(area) || (DANGEROUS_TO_WRITE.has(area) && level === 'read-write')
  return { scope, area, level, is_dangerous: isDangerous }
}

/** The scopes that the tools of assistants need. A client that registered itself gets no other. */
export const ASSISTANT_SCOPES: readonly Scope[] = [
  'user_management:read',
  'record_permission:read-write',
  'object_configuration:read',
  'list_entry:read-write',
  'list_configuration:read',
  'activity_record:read-write',
  'activity_configuration:read',
  'comment:read-write',
  'task:read-write',
  'note:read-write',
]
