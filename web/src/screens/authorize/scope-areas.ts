/** The areas of the consent page, each with the scopes of one kind of data. */

import type { ConsentScope } from '../../api/oauth/authorize'

export interface ScopeArea {
  readonly title: string
  readonly scopes: readonly ConsentScope[]
}

/** In display order. */
const AREAS: readonly { readonly title: string; readonly areas: readonly string[] }[] = [
  { title: 'Records and attributes', areas: ['record_permission', 'object_configuration'] },
  {
    title: 'Lists',
    areas: ['list_entry', 'list_configuration', 'public_collection', 'private_collection'],
  },
  { title: 'Activities', areas: ['activity_record', 'activity_configuration'] },
  { title: 'Notes, tasks and files', areas: ['note', 'task', 'comment', 'file'] },
  {
    title: 'Meetings and email',
    areas: ['meeting', 'call_recording', 'email', 'sequence_unsubscribe'],
  },
  { title: 'Workspace', areas: ['user_management', 'webhook'] },
]

/** Scopes of an area that is newer than this console are shown last. Scopes keep the order of the service. */
export function groupScopes(scopes: readonly ConsentScope[]): readonly ScopeArea[] {
  const known = new Set(AREAS.flatMap(({ areas }) => areas))
  const groups = AREAS.map(({ title, areas }) => ({
    title,
    scopes: scopes.filter(({ area }) => areas.includes(area)),
  }))
  const others = { title: 'Other', scopes: scopes.filter(({ area }) => !known.has(area)) }
  return [...groups, others].filter((group) => group.scopes.length > 0)
}
