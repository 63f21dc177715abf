/**
 * The scopes of tokens: `<area>:read` and `<area>:read-write`, which includes reading.
 * See docs/reference/access-and-oauth.md (Scopes).
 */

/** Each area with its name for people. */
export const AREAS = {
  user_management: 'User management',
  record_permission: 'Records',
  object_configuration: 'Object configuration',
  list_entry: 'List entries',
  list_configuration: 'List configuration',
  activity_record: 'Activity records',
  activity_configuration: 'Activity configuration',
  public_collection: 'Shared lists',
  private_collection: 'Private lists',
  comment: 'Comments',
  task: 'Tasks',
  note: 'Notes',
  meeting: 'Meetings',
  call_recording: 'Call recordings',
  webhook: 'Webhooks',
  file: 'Files',
  email: 'Emails',
  sequence_unsubscribe: 'Unsubscribed addresses',
} as const

export type Area = keyof typeof AREAS
export type Scope = `${Area}:${'read' | 'read-write'}`

/** Whether a token acts for the workspace, or for the member who authorised it, with the access of this member. */
export const TOKEN_LEVELS = ['workspace', 'user'] as const
export type TokenLevel = (typeof TOKEN_LEVELS)[number]

/** The read-write scope of every area, which together allow everything, in the order in which scopes are shown. */
export const READ_WRITE_SCOPES: readonly Scope[] = (Object.keys(AREAS) as Area[]).map(
  (area): Scope => `${area}:read-write`,
)

/** Both scopes of every area, in that order. */
export const SCOPES_IN_ORDER: readonly Scope[] = READ_WRITE_SCOPES.flatMap((scope) => [
  scope.replace(/-write$/, '') as Scope, // of `x:read-write`, `x:read`
  scope,
])

const BESIDE_ACTIVITY_RECORDS = [
  'activity_configuration:read',
  'object_configuration:read',
  'record_permission:read',
] as const satisfies readonly Scope[]

/** What operations on the records of activities require. Their values refer to records of objects. */
export const ACTIVITY_RECORD_SCOPES = {
  read: ['activity_record:read', ...BESIDE_ACTIVITY_RECORDS],
  write: ['activity_record:read-write', ...BESIDE_ACTIVITY_RECORDS],
} as const satisfies Record<'read' | 'write', readonly Scope[]>

export const isScope = (text: string): text is Scope => {
  const [area, level, ...rest] = text.split(':', 3)
  return rest.length === 0 && Object.hasOwn(AREAS, area ?? '') && (level === 'read' || level === 'read-write')
}

/** Whether `granted` has `needed`, or the read-write scope of the same area. */
export const includesScope = (granted: ReadonlySet<Scope>, needed: Scope): boolean =>
  granted.has(needed) || (needed.endsWith(':read') && granted.has(`${needed}-write` as Scope)) // "x:read" + "-write" is a scope

/** The scopes that both sets include. */
export const commonScopes = (a: ReadonlySet<Scope>, b: ReadonlySet<Scope>): ReadonlySet<Scope> =>
  new Set([...[...a].filter((scope) => includesScope(b, scope)), ...[...b].filter((scope) => includesScope(a, scope))])

/** "Read-Write access to the Records scope". See docs/reference/access-and-oauth.md (Refusals). */
export function describeScope(scope: Scope): string {
  const [area, level] = scope.split(':') as [Area, string] // every Scope has both parts
  return `${level === 'read' ? 'Read' : 'Read-Write'} access to the ${AREAS[area]} scope`
}
