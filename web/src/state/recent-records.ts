/** The records that a person opened last. This browser stores where they are and not what they are called. */

import { session } from './session.svelte'

export interface RecentRecord {
  readonly kind: 'objects' | 'activities'
  readonly slug: string
  readonly id: string
}

const MAX_RECENT = 8

const RECORD_PAGE = /^\/(objects|activities)\/([^/]+)\/([0-9a-f]{8}-[0-9a-f-]{27})$/

const storageKey = (): string => `recent records of ${session.state?.account?.id} ${session.workspace?.id}`

/** Remembers the record of a page. Other pages are not remembered. */
export function rememberRecord(path: string): void {
  const [, kind, slug = '', id = ''] = RECORD_PAGE.exec(path) ?? []
  if (kind !== 'objects' && kind !== 'activities') return
  const others = recentRecords().filter((one) => one.id !== id)
  localStorage.setItem(storageKey(), JSON.stringify([{ kind, slug, id }, ...others].slice(0, MAX_RECENT)))
}

/** The last one first. Storage that another version wrote may have anything. */
export function recentRecords(): readonly RecentRecord[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey()) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecent) : []
  } catch {
    return []
  }
}

const isRecent = (one: unknown): one is RecentRecord =>
  typeof one === 'object' &&
  one !== null &&
  ['kind', 'slug', 'id'].every((name) => typeof (one as Record<string, unknown>)[name] === 'string') // an object has members
