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
  readonly words: string
  /** The scope can destroy data, send data out of the workspace, or read private data. */
  readonly is_dangerous: boolean
}

interface Words {
  readonly read: string
  readonly write: string
  readonly isDangerous?: 'to write' | 'to read and write'
}

const WORDS: Readonly<Record<Area, Words>> = {
  user_management: {
    read: 'See the members of the workspace',
    write: 'See, add, change and suspend members of the workspace',
    isDangerous: 'to write',
  },
  record_permission: {
    read: 'See all records and their values',
    write: 'See, create, change, merge and delete records',
    isDangerous: 'to write',
  },
  object_configuration: {
    read: 'See objects and their attributes',
    write: 'See, create, change and delete objects and attributes',
    isDangerous: 'to write',
  },
  list_entry: { read: 'See the entries of lists', write: 'See, create, change and delete entries of lists' },
  list_configuration: {
    read: 'See lists and their attributes',
    write: 'See, create, change and delete lists and their attributes',
    isDangerous: 'to write',
  },
  activity_record: {
    read: 'See the records of activities, such as phone calls',
    write: 'See, create, change and delete records of activities',
    isDangerous: 'to write',
  },
  activity_configuration: {
    read: 'See activities and their attributes',
    write: 'See, create, change and delete activities and their attributes',
    isDangerous: 'to write',
  },
  public_collection: {
    read: 'See lists shared with the workspace',
    write: 'See and change lists shared with the workspace',
  },
  private_collection: {
    read: 'See all lists, including private ones',
    write: 'See and change all lists, including private ones',
    isDangerous: 'to read and write',
  },
  comment: { read: 'See comments', write: 'See, write and delete comments' },
  task: { read: 'See tasks', write: 'See, create, change and delete tasks' },
  note: { read: 'See notes', write: 'See, write and delete notes' },
  meeting: { read: 'See meetings', write: 'See, create and change meetings' },
  call_recording: {
    read: 'See call recordings and their transcripts',
    write: 'See, add and delete call recordings and transcripts',
  },
  webhook: {
    read: 'See webhooks and their URLs',
    write: 'See, create, change and delete webhooks, which send data to other services',
    isDangerous: 'to write',
  },
  file: { read: 'See and download files', write: 'See, download, upload and delete files' },
  email: {
    read: 'See senders, recipients, subjects and times of emails',
    write: 'See senders, recipients, subjects and times of emails',
  },
  sequence_unsubscribe: {
    read: 'See which addresses unsubscribed from sequences',
    write: 'See and add addresses that unsubscribed from sequences',
  },
}

/** Sorts scopes in the order of `SCOPES_IN_ORDER`, which the consent page has for every order in which an app names them. */
export const sortScopes = (scopes: readonly Scope[]): Scope[] =>
  scopes.toSorted((a, b) => SCOPES_IN_ORDER.indexOf(a) - SCOPES_IN_ORDER.indexOf(b))

export function describeForConsent(scope: Scope): DescribedScope {
  const [area, level] = scope.split(':') as [Area, 'read' | 'read-write'] // every Scope has both parts
  const { read, write, isDangerous } = WORDS[area]
  const reads = level === 'read'
  return {
    scope,
    area,
    level,
    words: reads ? read : write,
    is_dangerous: isDangerous === 'to read and write' || (isDangerous === 'to write' && !reads),
  }
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
