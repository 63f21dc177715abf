/** The areas of scopes, with the labels and in the order of the settings. */

import type { Area, Scope } from '#vocabulary/scopes'

export type Level = 'none' | 'read' | 'read-write'

/** A record of all areas, so that the compiler reports a missing one. */
export const AREAS: Readonly<Record<Area, { readonly label: string; readonly holds: string }>> = {
  record_permission: { label: 'Records', holds: 'Records of all objects and their values' },
  object_configuration: { label: 'Object configuration', holds: 'Objects, attributes, options and statuses' },
  list_entry: { label: 'List entries', holds: 'List entries and their values' },
  list_configuration: { label: 'List configuration', holds: 'Lists and their attributes' },
  public_collection: { label: 'Public collections', holds: 'Collections shared with the workspace' },
  private_collection: { label: 'Private collections', holds: 'Including private collections' },
  user_management: { label: 'User management', holds: 'Workspace members' },
  note: { label: 'Notes', holds: 'Notes on records' },
  task: { label: 'Tasks', holds: 'Tasks and assignees' },
  comment: { label: 'Comments', holds: 'Comment threads on records and entries' },
  meeting: { label: 'Meetings', holds: 'Meetings and participants' },
  call_recording: { label: 'Call recordings', holds: 'Recordings and transcripts' },
  email: { label: 'Emails', holds: 'Senders, recipients, subjects and times of emails' },
  sequence_unsubscribe: { label: 'Unsubscribed addresses', holds: 'Addresses that get no emails of sequences' },
  file: { label: 'Files', holds: 'Files attached to records' },
  webhook: { label: 'Webhooks', holds: 'Webhooks and their deliveries' },
}

/** The keys of the table are areas. */
export const AREA_NAMES = Object.keys(AREAS) as Area[]

export function levelOf(scopes: readonly Scope[], area: Area): Level {
  if (scopes.includes(`${area}:read-write`)) return 'read-write'
  return scopes.includes(`${area}:read`) ? 'read' : 'none'
}

/** The scopes with another level for one area. */
export function withLevel(scopes: readonly Scope[], area: Area, level: Level): Scope[] {
  const others = scopes.filter((scope) => !scope.startsWith(`${area}:`))
  return level === 'none' ? others : [...others, `${area}:${level}`]
}

/** The scopes of all areas. */
export const everything = (level: Exclude<Level, 'none'>): Scope[] =>
  AREA_NAMES.map((area): Scope => `${area}:${level}`)

/** "Everything", "Read everything", "Records, Notes and 3 more". */
export function scopeSummary(scopes: readonly Scope[]): string {
  const granted = AREA_NAMES.filter((area) => levelOf(scopes, area) !== 'none')
  const writes = granted.filter((area) => levelOf(scopes, area) === 'read-write').length
  if (granted.length === AREA_NAMES.length && (writes === 0 || writes === granted.length)) {
    return writes === 0 ? 'Reads everything' : 'Reads and writes everything'
  }
  const named = granted.slice(0, 2).map((area) => AREAS[area].label)
  const others = granted.length - named.length
  const list = others > 0 ? `${named.join(', ')} and ${others} more` : named.join(' and ')
  return writes === 0 ? `Reads ${list}` : list
}
