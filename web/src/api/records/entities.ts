/** Records of objects and entries of lists, with their values. */

import type { RecordEntry } from '#api/resources/entries/schemas'
import type { ViewInput } from '#api/resources/views/schemas'
import type { EntityTypePath } from '../data-model/attributes'
import { api } from '../client'
import { TIME_ZONE } from '../../values/local-time'
import { addReferencedValues, sortAlongPath, splitFields } from './referenced-values'

export type { RecordEntry }
export type SortInput = NonNullable<ViewInput['sorts']>[number]

export interface Actor {
  readonly type: string | null
  readonly id: string | null
}

/** A value as the API returns it: the members that all types share, and those of its type. */
export interface Value {
  readonly active_from: string
  readonly active_until: string | null
  readonly created_by_actor: Actor
  readonly attribute_type: string
  readonly [member: string]: unknown
}

export type Values = Readonly<Record<string, readonly Value[]>>

/** A record to which a value or another resource refers. */
export interface RecordTarget {
  readonly target_object: string
  readonly target_record_id: string
}

/** Values as the API takes them, by the slug of their attribute. */
export type ValuesInput = Readonly<Record<string, readonly unknown[]>>

/** A record or an entry. */
export interface Entity {
  readonly id: string
  readonly created_at: string
  readonly values: Values
  /** The parent record of an entry. */
  readonly parent?: { readonly object: string; readonly recordId: string }
}

export type Filter = Readonly<Record<string, unknown>>

export interface EntityQuery {
  readonly filter?: Filter
  readonly sorts?: readonly SortInput[]
  readonly fields?: readonly string[]
  readonly limit?: number
  readonly cursor?: string | null
  readonly offset?: number
  readonly include_count?: boolean
  /** The slug of the attribute whose values are added. */
  readonly sum?: string
}

export interface EntityPage {
  readonly entities: Entity[]
  readonly nextCursor: string | null
  readonly total: number | undefined
  readonly sum: number | undefined
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

interface PaginationWire {
  readonly next_cursor?: string | null
  readonly total?: number
  readonly sum?: number
}

export type EntityWire = RecordWire | EntryWire
/** The response of a request for one record or entry. */
export type EntityAnswer = { data: EntityWire }

export const entitiesPath = ({ kind, slug }: EntityTypePath): string =>
  `/${kind}/${encodeURIComponent(slug)}/${kind === 'lists' ? 'entries' : 'records'}`

export const entityPath = (entityType: EntityTypePath, id: string): string =>
  `${entitiesPath(entityType)}/${encodeURIComponent(id)}`

/** Fields and sorts may name attributes of referenced records. */
export async function queryEntities(
  entityType: EntityTypePath,
  { fields, sorts, ...query }: EntityQuery,
  signal?: AbortSignal,
): Promise<EntityPage> {
  const { own, referenced } = splitFields(fields)
  const body = {
    time_zone: TIME_ZONE,
    ...query,
    ...(sorts && { sorts: sorts.map((sort) => sortAlongPath(entityType, sort)) }),
    ...(own && { fields: own }),
  }
  const response = await api.post<{ data: EntityWire[]; pagination?: PaginationWire }>(
    `${entitiesPath(entityType)}/query`,
    {
      body,
      signal,
    },
  )
  const { next_cursor = null, total, sum } = response.pagination ?? {}
  const entities = await withReferencedValues(response.data.map(toEntity), referenced)
  return { entities, nextCursor: next_cursor, total, sum }
}

/** Adds values of referenced records. */
export const withReferencedValues = async (entities: Entity[], slugs: readonly string[]): Promise<Entity[]> =>
  slugs.length === 0
    ? entities
    : addReferencedValues(entities, slugs, (object, ids, fields) =>
        readEntities({ kind: 'objects', slug: object }, ids, fields),
      )

/** The number of ids in one request. */
export const MAX_IDS = 200

/** The records or entries with these ids, in any order, without deleted and inaccessible ones. */
export const readEntities = (
  entityType: EntityTypePath,
  ids: readonly string[],
  fields?: readonly string[],
): Promise<Entity[]> => readMatching(entityType, ids, fields === undefined ? {} : { fields })

/** Those of them that match a filter. */
export async function readMatching(
  entityType: EntityTypePath,
  ids: readonly string[],
  { filter = {}, fields }: Pick<EntityQuery, 'filter' | 'fields'>,
): Promise<Entity[]> {
  const key = entityType.kind === 'lists' ? 'entry_id' : 'record_id'
  const found: Entity[] = []
  for (let at = 0; at < ids.length; at += MAX_IDS) {
    const part = ids.slice(at, at + MAX_IDS)
    const own = { [key]: { $in: part } }
    const matching = Object.keys(filter).length === 0 ? own : { $and: [own, filter] }
    const query = { filter: matching, limit: MAX_IDS, ...(fields && { fields }) }
    found.push(...(await queryEntities(entityType, query)).entities)
  }
  return found
}

/** Returns the version, too, for a conditional write. */
export async function getEntity(
  entityType: EntityTypePath,
  id: string,
  signal?: AbortSignal,
): Promise<{ entity: Entity; version: string }> {
  const { body, version } = await api.getVersion<EntityAnswer>(entityPath(entityType, id), { signal })
  return { entity: toEntity(body.data), version }
}

/** All values that an attribute ever had, active ones included. */
export const listValues = async (
  entityType: EntityTypePath,
  id: string,
  attribute: string,
  signal?: AbortSignal,
): Promise<Value[]> => {
  const path = `${entityPath(entityType, id)}/attributes/${encodeURIComponent(attribute)}/values`
  return (await api.get<{ data: Value[] }>(path, { query: { show_historic: true }, signal })).data
}

/** The list entries of a record. */
export const listEntriesOf = async (object: string, id: string, signal?: AbortSignal): Promise<RecordEntry[]> => {
  const path = `${entityPath({ kind: 'objects', slug: object }, id)}/entries`
  return (await api.get<{ data: RecordEntry[] }>(path, { query: { limit: 1000 }, signal })).data
}

/** Whether a record has an entry in a list. */
export async function isInList(
  list: string,
  { object, recordId }: { readonly object: string; readonly recordId: string },
): Promise<boolean> {
  const entries = await listEntriesOf(object, recordId)
  return entries.some(({ list_api_slug }) => list_api_slug === list)
}

/** Tables show the parent record of an entry as a value of the attribute `parent_record`. */
export function toEntity(wire: EntityWire): Entity {
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
