/** Reads holders: as answered to clients, and as a write needs them. */

import type { Sql, Transaction } from '../../../db/connect'
import { preparedIfRoom } from '../../../db/prepared-statements'
import type { Attribute, DataModel, ListOwner, Owner } from '../../data-model/model'
import { createLru, type Lru } from '../../caching/lru'
import {
  compileLayout,
  creationOf,
  idOf,
  type Layout,
  parentOf,
  provenanceOf,
  type Row,
  updatedAtText,
  versionOf,
} from '../../storage/layout'
import { type Micros, microsFromPostgres } from '../../timing/clock'
import { rendererOf } from './render'
import { numbersOf } from '../../storage/statement'
import type { UniqueKey } from '../../storage/unique-keys'
import type { Creation, Provenance, Version } from '../../storage/provenance'

/** A holder as a write found it. */
export interface HeldHolder {
  readonly id: string
  readonly version: number
  readonly updated: Micros
  readonly created: Creation
  readonly provenance: Provenance | null
  /** The id of the record an entry stands for. */
  readonly parentRecordId?: string
  /** The active values of an attribute stored in columns, which must be among those that were read. */
  versionsOf(attribute: Attribute): Version[]
}

const layouts = new WeakMap<Owner, Lru<string, Layout>>()

/** More selections than writes usually make of an owner's attributes. */
const MOST_LAYOUTS = 200

/** Attributes stored in columns; without a selection all, archived ones included: what a write may have to touch. */
function writeLayout(model: DataModel, owner: Owner, selected: readonly Attribute[] = owner.attributes): Layout {
  let known = layouts.get(owner)
  if (!known) layouts.set(owner, (known = createLru(MOST_LAYOUTS)))
  const key = selected === owner.attributes ? 'all' : numbersOf(selected)
  const made = known.get(key)
  if (made) return made
  const layout = compileLayout(
    model,
    owner,
    selected.filter(({ stored_in }) => stored_in === 'columns'),
  )
  known.set(key, layout)
  return layout
}

/** One holder's row for its renderer, or undefined. */
export async function findRow(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  id: string,
): Promise<Row | undefined> {
  const query = `select ${rendererOf(model, owner).layout.select} from ${owner.table} h where h.id = $1`
  const rows = await db.unsafe(query, [id], { prepare: true }).values()
  return rows[0] as Row | undefined // rows as arrays
}

/** One holder for a write that checks its version when it writes, with the values of all or of selected attributes; no lock. */
export async function findHolder(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  id: string,
  selected?: readonly Attribute[],
): Promise<HeldHolder | undefined> {
  const layout = writeLayout(model, owner, selected)
  const query = `select ${layout.select} from ${owner.table} h where h.id = $1`
  const rows = await db.unsafe(query, [id], preparedIfRoom(query)).values()
  const row = rows[0] as Row | undefined // rows as arrays
  return row && heldHolder(owner, layout, row)
}

/** The entries of a list that stand for a record, as `findHolder`; the oldest first. */
export async function findEntriesFor(
  db: Sql | Transaction,
  model: DataModel,
  list: ListOwner,
  recordId: string,
): Promise<HeldHolder[]> {
  const layout = writeLayout(model, list)
  const query = `select ${layout.select} from ${list.table} h where h.parent_record_id = $1 order by h.created_at, h.id`
  const rows = (await db.unsafe(query, [recordId], { prepare: true }).values()) as unknown as Row[] // rows as arrays
  return rows.map((row) => heldHolder(list, layout, row))
}

/** The holders that have any of the given unique keys, with the values of selected attributes; each once, no lock. */
export async function findHoldersByKeys(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  keys: readonly UniqueKey[],
  selected: readonly Attribute[],
): Promise<HeldHolder[]> {
  const layout = writeLayout(model, owner, selected)
  const taken = keys.map((_, index) => `(u.attribute = $${2 * index + 1} and u.key = $${2 * index + 2})`).join(' or ')
  const each = keys.length > 1 ? 'distinct on (h.id)' : '' // one key has one holder
  const query = `select ${each} ${layout.select} from ${model.schema}.uniques u
    join ${owner.table} h on h.id = u.holder_id where ${taken}`
  const parameters = keys.flatMap(({ attribute, key }) => [attribute, key])
  const rows = (await db.unsafe(query, parameters, preparedIfRoom(query)).values()) as unknown as Row[] // rows as arrays
  return rows.map((row) => heldHolder(owner, layout, row))
}

/** Holders by id, locked against other writers until the transaction ends; those that do not exist are left out. */
export async function lockHolders(
  tx: Transaction,
  model: DataModel,
  owner: Owner,
  ids: readonly string[],
): Promise<HeldHolder[]> {
  const layout = writeLayout(model, owner)
  const query = `select ${layout.select} from ${owner.table} h where h.id = any($1::uuid[]) order by h.id for no key update`
  const rows = (await tx.unsafe(query, [`{${ids.join(',')}}`], { prepare: true }).values()) as unknown as Row[] // rows as arrays
  return rows.map((row) => heldHolder(owner, layout, row))
}

function heldHolder(owner: Owner, layout: Layout, row: Row): HeldHolder {
  const created = creationOf(row)
  const provenance = provenanceOf(row)
  return {
    id: idOf(row),
    version: versionOf(row),
    updated: microsFromPostgres(updatedAtText(row)),
    created,
    provenance,
    parentRecordId: owner.kind === 'list' ? parentOf(row).recordId : undefined,
    versionsOf(attribute) {
      const read = layout.attributes.find((each) => each.attribute === attribute)
      if (!read && attribute.stored_in === 'columns') throw new Error(`Attribute ${attribute.id} was not read.`)
      return read?.read(row, created, provenance) ?? []
    },
  }
}
