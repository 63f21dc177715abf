/** The names of records to which values refer. Names that are needed at the same time are read with one request. */

import { SvelteMap } from 'svelte/reactivity'
import { queryEntities } from '../api/records/entities'
import { loadAttributes } from './attributes.svelte'
import { isActivity } from './data-model.svelte'
import { collectIds } from './reads/collect-ids'
import { nameIn, nameSlugs } from './record-label'
import { session } from './session.svelte'

/** The number of names that one request reads. */
const BATCH = 200

const PAUSE_MS = 10

/** Null for a record that was deleted or is inaccessible. */
type Name = string | null

const names = new SvelteMap<string, Name>()
const requested = new Set<string>()

const keyOf = (recordId: string): string => `${session.workspace?.id}/${recordId}`

/** The name of a record; undefined while it is loading. */
export function recordName(object: string, recordId: string): Name | undefined {
  const key = keyOf(recordId)
  const name = names.get(key)
  if (name === undefined && !requested.has(key)) request(object, recordId)
  return name
}

/** Sets a name that is known from another read. */
export function setRecordName(recordId: string, name: string): void {
  requested.add(keyOf(recordId))
  names.set(keyOf(recordId), name)
}

/** Reads the name of a changed record again, if it was read before. */
export function refreshName(object: string, recordId: string): void {
  if (names.has(keyOf(recordId))) request(object, recordId)
}

/** Loads the names of records that were not read yet. */
export async function loadNames(object: string, recordIds: readonly string[]): Promise<void> {
  const unknown = [...new Set(recordIds)].filter((id) => !names.has(keyOf(id)))
  for (let at = 0; at < unknown.length; at += BATCH) await readNames(object, unknown.slice(at, at + BATCH))
}

const collect = collectIds(PAUSE_MS, (object, ids) => {
  for (let at = 0; at < ids.length; at += BATCH) void readNames(object, ids.slice(at, at + BATCH))
})

function request(object: string, recordId: string): void {
  requested.add(keyOf(recordId))
  collect(object, recordId)
}

async function readNames(object: string, ids: readonly string[]): Promise<void> {
  const keys = ids.map(keyOf)
  try {
    const entityType = { kind: isActivity(object) ? 'activities' : 'objects', slug: object } as const
    const fields = nameSlugs(entityType, await loadAttributes(entityType))
    const filter = { record_id: { $in: ids } }
    const { entities } = await queryEntities(entityType, { filter, fields, limit: BATCH })
    const found = new Map(entities.map(({ id, values }) => [id, nameIn(entityType, values, fields) ?? 'Unnamed']))
    ids.forEach((id, index) => names.set(keys[index] ?? keyOf(id), found.get(id) ?? null))
  } catch {
    for (const key of keys) requested.delete(key) // the next component that shows the name retries
  }
}
