/** The areas of scopes, in the order of the settings. */

import { type Area, AREAS, type Scope } from '#vocabulary/scopes'

export type Level = 'none' | 'read' | 'read-write'

/** What each area holds. A record of all areas, so that the compiler reports a missing one. */
export const HELD_DATA: Readonly<Record<Area, string>> = {
  record_permission: 'Records of all objects and their values',
  object_configuration: 'Objects, attributes, options and statuses',
  list_entry: 'List entries and their values',
  list_configuration: 'Lists and their attributes',
  activity_record: 'Records of activities, such as phone calls',
  activity_configuration: 'Activities and their attributes',
  public_collection: 'Lists shared with the workspace',
  private_collection: 'All lists, including private ones',
  user_management: 'Workspace members',
  note: 'Notes on records',
  task: 'Tasks and assignees',
  comment: 'Comment threads on records and entries',
  meeting: 'Meetings and participants',
  call_recording: 'Recordings and transcripts',
  email: 'Senders, recipients, subjects and times of emails',
  sequence_unsubscribe: 'Addresses that get no emails of sequences',
  file: 'Files attached to records',
  webhook: 'Webhooks and their deliveries',
}

/** In the order of the settings. The keys of the table are areas. */
export const AREA_NAMES = Object.keys(HELD_DATA) as Area[]

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
  const named = granted.slice(0, 2).map((area) => AREAS[area])
  const others = granted.length - named.length
  const list = others > 0 ? `${named.join(', ')} and ${others} more` : named.join(' and ')
  return writes === 0 ? `Reads ${list}` : list
}
