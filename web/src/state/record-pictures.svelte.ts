/** The pictures of records, which the service has or fetches. Those that are needed at the same time are read with one request. */

import { SvelteMap } from 'svelte/reactivity'
import { listPictures, MAX_PICTURES, type RecordPicture } from '../api/records/pictures'
import { collectIds } from './reads/collect-ids'
import { session } from './session.svelte'

const PAUSE_MS = 30
/** The delays after which a picture that the service is fetching is read again. After the last one, the next page reads it. */
const DELAYS_MS = [2_000, 5_000, 15_000]

/** Null for a record without a picture. */
const pictures = new SvelteMap<string, RecordPicture | null>()
const requested = new Set<string>()

const keyOf = (recordId: string): string => `${session.workspace?.id}/${recordId}`

/** Undefined while it is loading, and for a record without a picture. */
export function recordPicture(object: string, recordId: string): RecordPicture | undefined {
  const key = keyOf(recordId)
  const picture = pictures.get(key)
  if (picture === undefined && !requested.has(key)) request(object, recordId)
  return picture ?? undefined
}

/** Reads the picture of a changed record again, if it was read before. */
export function refreshPicture(object: string, recordId: string): void {
  if (pictures.has(keyOf(recordId))) request(object, recordId)
}

const collect = collectIds(PAUSE_MS, (object, ids) => void readPictures(object, ids, 0))

function request(object: string, recordId: string): void {
  requested.add(keyOf(recordId))
  collect(object, recordId)
}

async function readPictures(object: string, ids: readonly string[], attempt: number): Promise<void> {
  const workspaceId = session.workspace?.id
  const fetching: string[] = []
  for (let at = 0; at < ids.length; at += MAX_PICTURES) {
    const part = ids.slice(at, at + MAX_PICTURES)
    const keys = part.map(keyOf)
    try {
      const found = new Map((await listPictures(object, part)).map((one) => [one.record_id, one]))
      part.forEach((id, index) => pictures.set(keys[index] ?? keyOf(id), found.get(id) ?? null))
      fetching.push(...part.filter((id) => found.get(id)?.path === null))
    } catch {
      // The pictures are shown by the next page that reads them.
      for (const key of keys) if (!pictures.has(key)) pictures.set(key, null)
    }
  }
  const delay = DELAYS_MS[attempt]
  if (fetching.length === 0 || delay === undefined) return
  setTimeout(() => {
    if (session.workspace?.id === workspaceId) void readPictures(object, fetching, attempt + 1)
  }, delay)
}
