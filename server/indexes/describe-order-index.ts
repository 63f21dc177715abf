/**
 * Describes the indexes for orders that no column has: by the positions of options, and by the labels of records. Their
 * names end in a hash of the indexed expression, so that an index of an outdated expression is never used. Decision 0032.
 */

import { columnsOf } from '../attribute-types/definition/columns'
import type { ColumnProperty } from '../attribute-types/define'
import type { Attribute, Owner } from '../data-model/model'
import { holderTable } from '../data-model/names'
import { folded, rankIn } from './expressions'
import type { IndexWish } from './index-request'

type OrderKind = 'ordered' | 'descending'

/** A longer expression would slow down planning, and each added or removed option makes a new index. */
const MAX_RANKED = 100

/** Caches the descriptions, which every query needs. Its keys are objects of one version of the data model. */
const cache = { asc: new WeakMap<object, IndexWish>(), desc: new WeakMap<object, IndexWish>() }

/**
 * For the order of the `ranked` option numbers, which an attribute object never changes. Undefined when no index
 * helps.
 */
export function describeRank(
  owner: Pick<Owner, 'kind' | 'number'>,
  attribute: Attribute,
  property: Pick<ColumnProperty, 'column'>,
  kind: OrderKind,
  ranked: readonly number[],
): IndexWish | undefined {
  const column = columnsOf(attribute).find(({ member }) => member === property.column)?.name ?? null
  if (column === null || ranked.length === 0 || ranked.length > MAX_RANKED) return undefined
  const value = attribute.is_multiselect ? `${column}[1]` : column
  return cached(kind === 'ordered' ? cache.asc : cache.desc, attribute, () =>
    describe(owner, { name: column, sql: rankIn(ranked, value), attributeId: attribute.id }, kind),
  )
}

/** For the order of the records' labels. `label` is the SQL of a label over the columns of the table. */
export const describeLabel = (owner: Owner, label: string): IndexWish =>
  cached(cache.asc, owner, () => describe(owner, { name: 'label', sql: folded(label), attributeId: null }, 'ordered'))

function cached(wishes: WeakMap<object, IndexWish>, key: object, make: () => IndexWish): IndexWish {
  const wish = wishes.get(key) ?? make()
  wishes.set(key, wish)
  return wish
}

function describe(
  owner: Pick<Owner, 'kind' | 'number'>,
  { name, sql, attributeId }: { readonly name: string; readonly sql: string; readonly attributeId: string | null },
  kind: OrderKind,
): IndexWish {
  const direction = kind === 'ordered' ? '' : ' desc nulls last'
  const hash = new Bun.CryptoHasher('sha256').update(sql).digest('hex').slice(0, 8)
  return {
    name: `${holderTable(owner)}_${name}_${hash}_${kind}`,
    kind,
    definition: `using btree ((${sql})${direction}, created_at, id)`,
    attributeId,
  }
}
