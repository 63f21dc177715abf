/** What holds values: records of objects, and entries of lists. */

import type { RecordEntry } from '../../../server/resources/entries/schemas'
import type { SortInput } from '../../../server/query/parse/wire'
import type { OwnerPath } from './attributes'
import { api } from './client'

export type { RecordEntry, SortInput }

export interface Actor {
  readonly type: string | null
  readonly id: string | null
}

/** A value as read: what all types share, and beside it the members of its own. */
export interface Value {
  readonly active_from: string
  readonly active_until: string | null
  readonly created_by_actor: Actor
  readonly attribute_type: string
  readonly [member: string]: unknown
}

export type Values = Readonly<Record<string, readonly Value[]>>

/** Values as they are written, by slug. */
export type ValuesInput = Readonly<Record<string, readonly unknown[]>>

/** A record or an entry. */
export interface Holder {
  readonly id: string
  readonly created_at: string
  readonly values: Values
  /** The record an entry stands for. */
  readonly parent?: { readonly object: string; readonly recordId: string }
}

export type Filter = Readonly<Record<string, unknown>>

export interface HolderQuery {
  readonly filter?: Filter
  readonly sorts?: readonly SortInput[]
  readonly fields?: readonly string[]
  readonly limit?: number
  readonly cursor?: string | null
  readonly include_count?: boolean
}

export interface HolderPage {
  readonly holders: Holder[]
  readonly nextCursor: string | null
  readonly total: number | undefined
}

interface RecordWire {
  readonly id: { readonly record_id: string }
  readonly created_at: string
  readonly values: Values
}

interface EntryWire {
  readonly id: { readonly entry_id: string }
  readonly created_at: string
  readonly entry_values: Values
  readonly parent_record_id: string
  readonly parent_object: string
}

type Wire = RecordWire | EntryWire
type One = { data: Wire }

export const holdersPath = ({ kind, slug }: OwnerPath): string =>
  `/${kind}/${encodeURIComponent(slug)}/${kind === 'objects' ? 'records' : 'entries'}`

export const holderPath = (owner: OwnerPath, id: string): string => `${holdersPath(owner)}/${encodeURIComponent(id)}`

export async function queryHolders(owner: OwnerPath, body: HolderQuery, signal?: AbortSignal): Promise<HolderPage> {
  const answer = await api.post<{ data: Wire[]; pagination?: { next_cursor?: string | null; total?: number } }>(
    `${holdersPath(owner)}/query`,
    { body, signal },
  )
  const { next_cursor = null, total } = answer.pagination ?? {}
  return { holders: answer.data.map(toHolder), nextCursor: next_cursor, total }
}

/** How many are read with one request. */
const READ_AT_ONCE = 200

/** Those with these ids that are there and may be seen, in any order. */
export async function readHolders(
  owner: OwnerPath,
  ids: readonly string[],
  fields?: readonly string[],
): Promise<Holder[]> {
  const key = owner.kind === 'objects' ? 'record_id' : 'entry_id'
  const found: Holder[] = []
  for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
    const part = ids.slice(at, at + READ_AT_ONCE)
    const query = { filter: { [key]: { $in: part } }, limit: READ_AT_ONCE, ...(fields && { fields }) }
    found.push(...(await queryHolders(owner, query)).holders)
  }
  return found
}

/** With its version, for a write that must not overwrite what others wrote since. */
export async function getHolder(
  owner: OwnerPath,
  id: string,
  signal?: AbortSignal,
): Promise<{ holder: Holder; version: string }> {
  const { body, version } = await api.getVersion<One>(holderPath(owner, id), { signal })
  return { holder: toHolder(body.data), version }
}

export const createRecord = async (object: string, values: ValuesInput): Promise<Holder> => {
  const path = holdersPath({ kind: 'objects', slug: object })
  return toHolder((await api.post<One>(path, { body: { data: { values } } })).data)
}

export async function createEntry(
  list: string,
  parent: { readonly object: string; readonly recordId: string },
  entry_values: ValuesInput,
): Promise<Holder> {
  const data = { parent_object: parent.object, parent_record_id: parent.recordId, entry_values }
  return toHolder((await api.post<One>(holdersPath({ kind: 'lists', slug: list }), { body: { data } })).data)
}

/** Replaces the values of the attributes named. */
export async function updateHolder(
  owner: OwnerPath,
  id: string,
  values: ValuesInput,
  ifMatch?: string,
): Promise<Holder> {
  const data = owner.kind === 'objects' ? { values } : { entry_values: values }
  const options = ifMatch === undefined ? { body: { data } } : { body: { data }, ifMatch }
  return toHolder((await api.put<One>(holderPath(owner, id), options)).data)
}

export const deleteHolder = (owner: OwnerPath, id: string): Promise<unknown> => api.delete(holderPath(owner, id))

/** Every value an attribute had, the present ones too. */
export const listValues = async (
  owner: OwnerPath,
  id: string,
  attribute: string,
  signal?: AbortSignal,
): Promise<Value[]> => {
  const path = `${holderPath(owner, id)}/attributes/${encodeURIComponent(attribute)}/values`
  return (await api.get<{ data: Value[] }>(path, { query: { show_historic: true }, signal })).data
}

/** Where a record stands in lists. */
export const listEntriesOf = async (object: string, id: string, signal?: AbortSignal): Promise<RecordEntry[]> => {
  const path = `${holderPath({ kind: 'objects', slug: object }, id)}/entries`
  return (await api.get<{ data: RecordEntry[] }>(path, { query: { limit: 1000 }, signal })).data
}

/** An entry's record is shown among its values, as its attribute `parent_record`. */
function toHolder(wire: Wire): Holder {
  if ('values' in wire) return { id: wire.id.record_id, created_at: wire.created_at, values: wire.values }
  const { id, created_at, entry_values, parent_object: object, parent_record_id: recordId } = wire
  const parent_record: Value = {
    active_from: created_at,
    active_until: null,
    created_by_actor: { type: null, id: null },
    attribute_type: 'record-reference',
    target_object: object,
    target_record_id: recordId,
  }
  return {
    id: id.entry_id,
    created_at,
    values: { ...entry_values, parent_record: [parent_record] },
    parent: { object, recordId },
  }
}
