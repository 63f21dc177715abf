/**
 * Describes the indexes for orders that no column has: by the positions of options, and by the labels of records. Their
 * names end in a hash of the indexed expression, so that an index of an outdated expression is never used.
 * See docs/decisions/queries.md.
 */

import { sha256 } from '#base/text/sha256'
import { columnsOf } from '#engine/attribute-types/definition/columns'
import type { ColumnProperty } from '#engine/attribute-types/define'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { entityTableName } from '#engine/data-model/names'
import { textSortKey, positionIn } from '#engine/indexes/expressions'
import type { IndexRequest } from '#engine/indexes/index-request'
import type { OrderKind } from './property-index'

/** A longer expression would slow down planning, and each added or removed option makes a new index. */
const MAX_RANKED = 100

/** Caches the descriptions, which every query needs. Its keys are objects of one version of the data model. */
const cache = { asc: new WeakMap<object, IndexRequest>(), desc: new WeakMap<object, IndexRequest>() }

/**
 * For the order of the `ranked` option numbers, which an attribute object never changes. Undefined when no index
 * helps.
 */
export function describeOptionOrderIndex(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  attribute: Attribute,
  property: Pick<ColumnProperty, 'column'>,
  kind: OrderKind,
  ranked: readonly number[],
): IndexRequest | undefined {
  const position = optionPosition(attribute, property, ranked)
  if (!position) return undefined
  return cached(kind === 'ordered' ? cache.asc : cache.desc, attribute, () =>
    describe(entityType, { ...position, attributeId: attribute.id }, kind),
  )
}

/** The position of an option as SQL, and the column of the option. Undefined when no index helps. */
function optionPosition(
  attribute: Attribute,
  property: Pick<ColumnProperty, 'column'>,
  ranked: readonly number[],
): { readonly name: string; readonly sql: string } | undefined {
  const name = columnsOf(attribute).find(({ member }) => member === property.column)?.name ?? null
  if (name === null || ranked.length === 0 || ranked.length > MAX_RANKED) return undefined
  return { name, sql: positionIn(ranked, attribute.is_multiselect ? `${name}[1]` : name) }
}

/** The index key of that order. */
export function optionOrderKey(
  attribute: Attribute,
  property: Pick<ColumnProperty, 'column'>,
  kind: OrderKind,
  ranked: readonly number[],
): string | undefined {
  const position = optionPosition(attribute, property, ranked)
  return position && orderKey(position.sql, kind)
}

const orderKey = (sql: string, kind: OrderKind): string => `(${sql})${kind === 'ordered' ? '' : ' desc nulls last'}`

/** For the order of the records' labels. `label` is the SQL of a label over the columns of the table. */
export const describeLabelIndex = (entityType: EntityType, label: string): IndexRequest =>
  cached(cache.asc, entityType, () =>
    describe(entityType, { name: 'label', sql: textSortKey(label), attributeId: null }, 'ordered'),
  )

function cached(requests: WeakMap<object, IndexRequest>, key: object, make: () => IndexRequest): IndexRequest {
  const indexRequest = requests.get(key) ?? make()
  requests.set(key, indexRequest)
  return indexRequest
}

function describe(
  entityType: Pick<EntityType, 'kind' | 'number'>,
  { name, sql, attributeId }: { readonly name: string; readonly sql: string; readonly attributeId: string | null },
  kind: OrderKind,
): IndexRequest {
  const hash = sha256(sql).slice(0, 8)
  return {
    name: `${entityTableName(entityType)}_${name}_${hash}_${kind}`,
    kind,
    definition: `using btree (${orderKey(sql, kind)}, created_at, id)`,
    attributeId,
  }
}
