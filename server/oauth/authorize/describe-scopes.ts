/** Scopes as a person reads them before deciding. */

import { AREAS, type Area, type Scope } from '../../scopes'

export interface DescribedScope {
  readonly scope: Scope
  readonly area: Area
  readonly level: 'read' | 'read-write'
  readonly words: string
  /** Worth a second look: it can destroy, reach beyond the workspace, or see what was kept private. */
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
    read: 'See which objects and attributes there are',
    write: 'See, create, change and delete objects and attributes',
    isDangerous: 'to write',
  },
  list_entry: { read: 'See the entries of lists', write: 'See, create, change and delete entries of lists' },
  list_configuration: {
    read: 'See which lists and list attributes there are',
    write: 'See, create, change and delete lists and their attributes',
    isDangerous: 'to write',
  },
  public_collection: {
    read: 'See collections that are open to the workspace',
    write: 'See and change collections that are open to the workspace',
  },
  private_collection: {
    read: 'See all collections, also those kept private',
    write: 'See and change all collections, also those kept private',
    isDangerous: 'to read and write',
  },
  comment: { read: 'See comments', write: 'See, write and delete comments' },
  task: { read: 'See tasks', write: 'See, create, change and delete tasks' },
  note: { read: 'See notes', write: 'See, write and delete notes' },
  meeting: { read: 'See meetings', write: 'See, create and change meetings' },
  call_recording: {
    read: 'See and hear call recordings, and read their transcripts',
    write: 'See, hear, add and delete call recordings and transcripts',
  },
  webhook: {
    read: 'See webhooks and where they lead',
    write: 'See webhooks, and send what happens here to other addresses',
    isDangerous: 'to write',
  },
  file: { read: 'See and download files', write: 'See, download, upload and delete files' },
}

/** By area in the order of `AREAS`, and reading before writing: one order, whatever order an app names them in. */
export const sortScopes = (scopes: readonly Scope[]): Scope[] => scopes.toSorted((a, b) => rankOf(a) - rankOf(b))

function rankOf(scope: Scope): number {
  const [area, level] = scope.split(':')
  return 2 * Object.keys(AREAS).indexOf(area ?? '') + (level === 'read' ? 0 : 1)
}

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
