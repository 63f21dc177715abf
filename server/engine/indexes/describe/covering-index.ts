/**
 * Describes the index that has all columns which a statement reads of a table, so that PostgreSQL reads the index and not the rows, which
 * are many times as long. See docs/decisions/indexes.md.
 */

import type { SqlType } from '#engine/attribute-types/define'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import { isVirtual } from '#engine/data-model/find'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { coveredTexts } from '#engine/indexes/expressions'
import type { IndexRequest } from '#engine/indexes/index-request'
import { hashedName } from './composite-index'

/** A list may be too long for a B-tree. */
const COVERED_TYPES: ReadonlySet<string> = new Set<SqlType>([
  'text',
  'double precision',
  'numeric',
  'boolean',
  'date',
  'timestamptz',
  'smallint',
  'int',
  'uuid',
])

/** With more columns, the index is as long as the rows, and serves fewer statements. */
const MAX_COLUMNS = 8

export interface CoveringIndex {
  readonly attributes: readonly Attribute[]
  readonly indexes: readonly IndexRequest[]
  /** The rows of each index, where there are two because texts may be too long for one: the condition is about the row `h`. */
  readonly parts: readonly { readonly index: IndexRequest; readonly condition: string }[]
}

interface ColumnOfAttribute {
  readonly attribute: Attribute
  readonly sqlType: string
}

/** `names` are the columns that the statement reads. Returns undefined when there are none, or one that the index cannot have. */
export function describeCoveringIndex(entityType: EntityType, names: readonly string[]): CoveringIndex | undefined {
  const columns = columnsByName(entityType)
  if (names.length === 0 || names.length > MAX_COLUMNS) return undefined
  const read = names.flatMap((name) => columns.get(name) ?? [])
  // An index on the time of the last change would be written by each change.
  if (read.length < names.length || names.includes('updated_at')) return undefined
  if (!read.every(({ sqlType }) => COVERED_TYPES.has(sqlType))) return undefined
  // In the order of the table, so that statements over the same columns request one index.
  const order = [...columns.keys()]
  const keys = names.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))
  const attributes = [...new Set(read.map(({ attribute }) => attribute))]
  const request = (definition: string): IndexRequest => ({
    name: hashedName(entityType, definition, 'covering'),
    kind: 'covering',
    definition,
    attributeId: null,
    composite: {
      attributeIds: attributes.filter((attribute) => !isVirtual(attribute)).map(({ id }) => id),
      equalColumns: [],
      partialOf: null,
    },
  })
  const definition = `using btree (${keys.join(', ')})`
  const texts = keys.filter((name) => columns.get(name)?.sqlType === 'text')
  if (texts.length === 0) return { attributes, indexes: [request(definition)], parts: [] }
  const [short, long] = coveredTexts(texts)
  const indexes = [request(`${definition} where ${short}`), request(`using btree (id) where ${long}`)]
  const conditions = coveredTexts(texts.map((name) => `h.${name}`))
  return { attributes, indexes, parts: indexes.map((index, at) => ({ index, condition: conditions[at] ?? 'true' })) }
}

const cache = new WeakMap<EntityType, ReadonlyMap<string, ColumnOfAttribute>>()

function columnsByName(entityType: EntityType): ReadonlyMap<string, ColumnOfAttribute> {
  const cached = cache.get(entityType)
  if (cached) return cached
  const found = new Map<string, ColumnOfAttribute>()
  for (const attribute of entityType.attributes)
    for (const { name, sqlType } of columnsOf(attribute)) if (name !== null) found.set(name, { attribute, sqlType })
  cache.set(entityType, found)
  return found
}
