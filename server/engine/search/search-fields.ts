/**
 * The attributes that search compares, and the search index over them.
 * See docs/reference/search.md (What is searched); docs/decisions/search.md.
 */

import { sha256 } from '#base/text/sha256'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import { attributeType } from '#engine/attribute-types/registry'
import { findAttribute } from '#engine/data-model/find'
import type { Attribute, RecordType } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import { type IndexRequest, SEARCH_INDEX_FROM_ROWS } from '#engine/indexes/index-request'
import { labelSql } from '#engine/query/compile/label'

/** Slugs of the attributes that search compares beside the label. */
interface FieldSlugs {
  readonly keys?: string
  readonly handles?: readonly string[]
  readonly phoneNumbers?: string
  /** Part of a hit; not searched. */
  readonly image?: string
}

const NETWORKS = ['angellist', 'facebook', 'instagram', 'linkedin', 'twitter']

/** By standard object. Search compares only the label of records of other objects and of activities. */
const FIELD_SLUGS: Readonly<Record<string, FieldSlugs>> = {
  people: { keys: 'email_addresses', handles: NETWORKS, phoneNumbers: 'phone_numbers', image: 'avatar_url' },
  companies: { keys: 'domains', handles: NETWORKS, image: 'logo_url' },
  workspaces: { image: 'avatar_url' },
}

/** The SQL of each field. A field that the object does not have is null. */
export interface SearchFields {
  readonly label: string
  /** An array of email addresses or domains. */
  readonly keys: string
  readonly handles: string
  readonly phoneNumbers: string
  readonly image: string
}

const fieldSlugs = (type: RecordType): FieldSlugs =>
  (type.kind === 'object' ? FIELD_SLUGS[type.standard_slug ?? ''] : undefined) ?? {}

/** `alias` is the alias of the record's row. */
export function searchFieldsOf(object: RecordType, alias: string): SearchFields {
  const { keys, handles = [], phoneNumbers, image } = fieldSlugs(object)
  const column = (slug: string | undefined) => columnOf(object, slug, alias)
  const handleColumns = handles.flatMap((slug) => column(slug) ?? []).map((sql) => `left(${sql}, 200)`)
  return {
    label: labelSql(object, alias),
    keys: column(keys) ?? NO_TEXTS,
    handles: handleColumns.length > 0 ? `array[${handleColumns.join(', ')}]` : NO_TEXTS,
    phoneNumbers: column(phoneNumbers) ?? NO_TEXTS,
    image: column(image) ?? 'null::text',
  }
}

/** The lexemes of a record: words, pairs of words and digits. `db/migrations/0170_base/10_search.sql` defines the function. */
export const lexemesSql = ({ label, keys, handles, phoneNumbers }: SearchFields): string =>
  `relata.search_entries(${label}, ${keys}, ${handles}, ${phoneNumbers})`

/** The attribute whose values are the keys, if the object has one. */
export const keyAttribute = (object: RecordType): Attribute | undefined => findActive(object, fieldSlugs(object).keys)

const indexes = new WeakMap<RecordType, IndexRequest>()

/**
 * The search index of an object or an activity. Its name ends in a hash of its definition, so that an index for other fields is never used.
 */
export function searchIndex(object: RecordType): IndexRequest {
  const cached = indexes.get(object)
  if (cached) return cached
  const table = entityTableName(object)
  // Writes only append to the pending list, which keeps them cheap. Searches read the whole list, so it is short.
  const definition = `using gin (${lexemesSql(searchFieldsOf(object, table))}) with (gin_pending_list_limit = 256)`
  const hash = sha256(definition).slice(0, 8)
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

/** The column of the attribute's default property. */
function columnOf(object: RecordType, slug: string | undefined, alias: string): string | undefined {
  const attribute = findActive(object, slug)
  if (!attribute) return undefined
  const { properties, defaultProperty } = attributeType(attribute.type)
  const property = properties[defaultProperty ?? '']
  const column = columnsOf(attribute).find(({ member }) => property?.source === 'column' && member === property.column)
  return column?.name == null ? undefined : `${alias}.${column.name}`
}

function findActive(object: RecordType, slug: string | undefined): Attribute | undefined {
  const attribute = slug === undefined ? undefined : findAttribute(object, slug)
  return attribute?.is_archived === false ? attribute : undefined
}
