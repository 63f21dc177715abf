/**
 * What the people of a workspace may do by their role, beyond the access that each list gives. Admins have every permission.
 * Members have those that the workspace gives to its members. See docs/access.md.
 */

import { AREAS, type Area, includesScope, READ_WRITE_SCOPES, type Scope } from './scopes'

/** Each permission with its name for people, in the order in which they are shown. */
const PERMISSIONS = {
  data_model: 'Change objects, activities and attributes',
  webhooks: 'Create and change webhooks',
  api_keys: 'Create API keys, and let apps act for them, with at most their own access',
  apps: 'Create and change apps',
  import_definitions: 'Create attributes and options in imports',
  connected_accounts: 'Connect email and calendar accounts, which the service reads by itself',
} as const

export type Permission = keyof typeof PERMISSIONS

/** What members of a new workspace may do. */
export const FIRST_PERMISSIONS: readonly Permission[] = ['connected_accounts']

export const ALL_PERMISSIONS = Object.keys(PERMISSIONS) as readonly Permission[] // a literal's keys are its type's

/** The areas that only admins change: the data model, webhooks and members. */
const READ_BY_MEMBERS: readonly Area[] = [
  'object_configuration',
  'activity_configuration',
  'webhook',
  'user_management',
]

/** The scopes of people at the console, by role. A workspace can permit its members more. */
export const ROLE_SCOPES: Readonly<Record<'admin' | 'member', ReadonlySet<Scope>>> = {
  admin: new Set(READ_WRITE_SCOPES),
  member: new Set(
    (Object.keys(AREAS) as Area[]).map(
      (area): Scope => `${area}:${READ_BY_MEMBERS.includes(area) ? 'read' : 'read-write'}`,
    ),
  ),
}

/** The areas of the API that a permission lets members write. */
const AREAS_WRITTEN: Partial<Record<Permission, readonly Area[]>> = {
  data_model: ['object_configuration', 'activity_configuration'],
  webhooks: ['webhook'],
}

/** A member of a workspace, as far as it decides what they may do. */
export interface Role {
  readonly accessLevel: 'admin' | 'member' | 'suspended'
  /** What the workspace permits its members. */
  readonly memberPermissions: readonly Permission[]
}

export function hasPermission({ accessLevel, memberPermissions }: Role, permission: Permission): boolean {
  if (accessLevel === 'suspended') return false
  return accessLevel === 'admin' || memberPermissions.includes(permission)
}

/** The scopes with which a person uses the API through the console. A suspended member has none. */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  if (role.accessLevel === 'suspended') return new Set()
  if (role.accessLevel === 'admin') return ROLE_SCOPES.admin
  const areas = ALL_PERMISSIONS.flatMap((permission) =>
    hasPermission(role, permission) ? (AREAS_WRITTEN[permission] ?? []) : [],
  )
  return areas.length === 0
    ? ROLE_SCOPES.member
    : new Set([...ROLE_SCOPES.member, ...areas.map((area): Scope => `${area}:read-write`)])
}

/** What only admins may give to a key: it opens lists that not all members may see or write to whoever has the key. */
const NOT_IN_KEYS_OF_MEMBERS: readonly Scope[] = [
  'public_collection:read-write',
  'private_collection:read-write',
  'private_collection:read',
]

/** Whether a person may give the scope to an API key: no more than the person's own access. */
export const mayGiveToKey = (role: Role, scope: Scope): boolean =>
  includesScope(scopesOfRole(role), scope) && (role.accessLevel === 'admin' || !NOT_IN_KEYS_OF_MEMBERS.includes(scope))
