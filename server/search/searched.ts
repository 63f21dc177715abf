/**
 * What the records of an object are found by, and the index that finds them.
 * See docs/reference/search.md (What is searched); decision 0031.
 */

import { columnsOf } from '../attribute-types/definition/columns'
import { attributeType } from '../attribute-types/registry'
import { findAttribute } from '../data-model/find'
import type { Attribute, ObjectType } from '../data-model/model'
import { entityTableName } from '../data-model/names'
import { SEARCH_INDEX_FROM_ROWS } from '../indexes/build-rule'
import type { IndexRequest } from '../indexes/index-request'
import { labelSql } from '../query/compile/label'

/** Beside the label, by slug; objects that are not named here are found by their label alone. */
interface Sources {
  readonly keys?: string
  readonly handles?: readonly string[]
  readonly phoneNumbers?: string
  /** Shown with what was found. */
  readonly image?: string
}

const NETWORKS = ['angellist', 'facebook', 'instagram', 'linkedin', 'twitter']

const SOURCES: Readonly<Record<string, Sources>> = {
  people: { keys: 'email_addresses', handles: NETWORKS, phoneNumbers: 'phone_numbers', image: 'avatar_url' },
  companies: { keys: 'domains', handles: NETWORKS, image: 'logo_url' },
  workspaces: { image: 'avatar_url' },
}

/** SQL of each part; a record is called `alias`, and lacks what its object does not have. */
export interface Searched {
  readonly label: string
  /** Email addresses or domains: an array. */
  readonly keys: string
  readonly handles: string
  readonly phoneNumbers: string
  readonly image: string
}

export function searchedOf(object: ObjectType, alias: string): Searched {
  const { keys, handles = [], phoneNumbers, image } = SOURCES[object.standard_slug ?? ''] ?? {}
  const column = (slug: string | undefined) => columnOf(object, slug, alias)
  const known = handles.flatMap((slug) => column(slug) ?? []).map((sql) => `left(${sql}, 200)`)
  return {
    label: labelSql(object, alias),
    keys: column(keys) ?? NO_TEXTS,
    handles: known.length > 0 ? `array[${known.join(', ')}]` : NO_TEXTS,
    phoneNumbers: column(phoneNumbers) ?? NO_TEXTS,
    image: column(image) ?? 'null::text',
  }
}

/** The words, pairs of words and digits a record is found by, as `db/migrations/0023_search_pairs.sql` makes them. */
export const tokensSql = ({ label, keys, handles, phoneNumbers }: Searched): string =>
  `relata.search_entries(${label}, ${keys}, ${handles}, ${phoneNumbers})`

/** The unique attribute whose values are keys, if the object has one. */
export const keyAttribute = (object: ObjectType): Attribute | undefined =>
  usable(object, SOURCES[object.standard_slug ?? '']?.keys)

const indexes = new WeakMap<ObjectType, IndexRequest>()

/**
 * What searching an object needs when it is big. Another label or other attributes make another name, so that an index
 * that does not fit any more is never taken for one that does.
 */
export function searchIndex(object: ObjectType): IndexRequest {
  const known = indexes.get(object)
  if (known) return known
  const table = entityTableName(object)
  // Writes are cheap as long as they only queue up for the index, and searches as long as that queue is short.
  const definition = `using gin (${tokensSql(searchedOf(object, table))}) with (gin_pending_list_limit = 256)`
  const hash = new Bun.CryptoHasher('sha256').update(definition).digest('hex').slice(0, 8)
  const name = `${table}_search_${hash}`
  const indexRequest: IndexRequest = {
    name,
    kind: 'search',
    definition,
    attributeId: null,
    fromRows: SEARCH_INDEX_FROM_ROWS,
  }
  indexes.set(object, indexRequest)
  return indexRequest
}

const NO_TEXTS = 'null::text[]'

/** The column a filter compares when it names no property. */
function columnOf(object: ObjectType, slug: string | undefined, alias: string): string | undefined {
  const attribute = usable(object, slug)
  if (!attribute) return undefined
  const { properties, defaultProperty } = attributeType(attribute.type)
  const property = properties[defaultProperty ?? '']
  const column = columnsOf(attribute).find(({ member }) => property?.source === 'column' && member === property.column)
  return column?.name == null ? undefined : `${alias}.${column.name}`
}

function usable(object: ObjectType, slug: string | undefined): Attribute | undefined {
  const attribute = slug === undefined ? undefined : findAttribute(object, slug)
  return attribute?.is_archived === false ? attribute : undefined
}
