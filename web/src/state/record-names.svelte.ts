/** What records are called that values point to. Those asked for at the same time are read together. */

import { SvelteMap } from 'svelte/reactivity'
import { queryEntities } from '../api/records/entities'
import { loadAttributes } from './attributes.svelte'
import { nameIn, namingSlugs } from './naming'
import { session } from './session.svelte'

/** How many are read with one request. */
const AT_ONCE = 200

const PAUSE_MS = 10

/** Null: it was deleted, or may not be seen. */
type Name = string | null

const names = new SvelteMap<string, Name>()
/** Per object, the records that are to be read. */
const wanted = new Map<string, Set<string>>()
const asked = new Set<string>()

const keyOf = (recordId: string): string => `${session.workspace?.id}/${recordId}`

/** Undefined while it is being read. */
export function recordName(object: string, recordId: string): Name | undefined {
  const key = keyOf(recordId)
  const name = names.get(key)
  if (name === undefined && !asked.has(key)) ask(object, recordId)
  return name
}

/** Knows a name from elsewhere, so that it need not be read. */
export function setRecordName(recordId: string, name: string): void {
  asked.add(keyOf(recordId))
  names.set(keyOf(recordId), name)
}

/** Reads the name of a changed record again, if it was read before. */
export function refreshName(object: string, recordId: string): void {
  if (names.has(keyOf(recordId))) ask(object, recordId)
}

/** Loads the names of records that were not read yet. */
export async function loadNames(object: string, recordIds: readonly string[]): Promise<void> {
  const unknown = [...new Set(recordIds)].filter((id) => !names.has(keyOf(id)))
  for (let at = 0; at < unknown.length; at += AT_ONCE) await readNames(object, unknown.slice(at, at + AT_ONCE))
}

function ask(object: string, recordId: string): void {
  asked.add(keyOf(recordId))
  if (wanted.size === 0) setTimeout(readWanted, PAUSE_MS)
  const ids = wanted.get(object) ?? new Set()
  wanted.set(object, ids.add(recordId))
}

function readWanted(): void {
  const all = [...wanted]
  wanted.clear()
  for (const [object, ids] of all) {
    const list = [...ids]
    for (let at = 0; at < list.length; at += AT_ONCE) void readNames(object, list.slice(at, at + AT_ONCE))
  }
}

async function readNames(object: string, ids: readonly string[]): Promise<void> {
  const keys = ids.map(keyOf)
  try {
    const entityType = { kind: 'objects', slug: object } as const
    const fields = namingSlugs(object, await loadAttributes(entityType))
    const filter = { record_id: { $in: ids } }
    const { entities } = await queryEntities(entityType, { filter, fields, limit: AT_ONCE })
    const found = new Map(entities.map(({ id, values }) => [id, nameIn(values, fields) ?? 'Unnamed']))
    ids.forEach((id, index) => names.set(keys[index] ?? keyOf(id), found.get(id) ?? null))
  } catch {
    for (const key of keys) asked.delete(key) // whoever shows one next asks again
  }
}
