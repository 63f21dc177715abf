/**
 * Indexes for orders that no column has by itself: the positions of options, and what records are called. Their names end
 * in a hash of what they are over, so that one that does not fit any more is never taken for one that does. Decision 0032.
 */

import { columnsOf } from '../attribute-types/columns'
import type { ColumnProperty } from '../attribute-types/define'
import type { Attribute, Owner } from '../data-model/model'
import { holderTable } from '../data-model/names'
import { folded, rankIn } from './expressions'
import type { IndexWish } from './wish'

type OrderKind = 'ordered' | 'descending'

/** Longer definitions would be long to plan with, and to change whenever an option comes or goes. */
const MOST_RANKED = 100

/** Every query asks; attributes and owners live as long as their version of the data model. */
const known = { asc: new WeakMap<object, IndexWish>(), desc: new WeakMap<object, IndexWish>() }

/** For the order that `ranked` numbers have, the same for all time of the attribute; undefined where none is of use. */
export function describeRank(
  owner: Pick<Owner, 'kind' | 'number'>,
  attribute: Attribute,
  property: Pick<ColumnProperty, 'column'>,
  kind: OrderKind,
  ranked: readonly number[],
): IndexWish | undefined {
  const column = columnsOf(attribute).find(({ member }) => member === property.column)?.name ?? null
  if (column === null || ranked.length === 0 || ranked.length > MOST_RANKED) return undefined
  const value = attribute.is_multiselect ? `${column}[1]` : column
  return once(kind === 'ordered' ? known.asc : known.desc, attribute, () =>
    describe(owner, { name: column, sql: rankIn(ranked, value), attributeId: attribute.id }, kind),
  )
}

/** For the order of what records are called; `label` is its SQL over the columns of their table. */
export const describeLabel = (owner: Owner, label: string): IndexWish =>
  once(known.asc, owner, () => describe(owner, { name: 'label', sql: folded(label), attributeId: null }, 'ordered'))

function once(wishes: WeakMap<object, IndexWish>, of: object, make: () => IndexWish): IndexWish {
  const wish = wishes.get(of) ?? make()
  wishes.set(of, wish)
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
