/** Reads holders: as answered to clients, and as a write needs them. */

import type { Sql, Transaction } from '../../db/connect'
import { preparedIfRoom } from '../../db/prepared'
import type { Attribute, DataModel, ListOwner, Owner } from '../data-model/model'
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
} from './layout'
import { type Micros, microsFromPostgres } from '../time'
import { rendererOf } from './render'
import type { UniqueKey } from './unique'
import type { Creation, Provenance, Version } from './versions'

/** A holder as a write found it. */
export interface HeldHolder {
  readonly id: string
  readonly version: number
  readonly updated: Micros
  readonly created: Creation
  readonly provenance: Provenance | null
  /** The id of the record an entry stands for. */
  readonly parentRecordId?: string
  /** The active values of an attribute stored in columns. */
  versionsOf(attribute: Attribute): Version[]
}

const layouts = new WeakMap<Owner, Layout>()

/** All attributes stored in columns, archived ones included: what a write may have to touch. */
function writeLayout(model: DataModel, owner: Owner): Layout {
  const known = layouts.get(owner)
  if (known) return known
  const layout = compileLayout(
    model,
    owner,
    owner.attributes.filter(({ stored_in }) => stored_in === 'columns'),
  )
  layouts.set(owner, layout)
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

/** One holder for a write that checks its version when it writes; no lock. */
export async function findHolder(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  id: string,
): Promise<HeldHolder | undefined> {
  const layout = writeLayout(model, owner)
  const rows = await db
    .unsafe(`select ${layout.select} from ${owner.table} h where h.id = $1`, [id], { prepare: true })
    .values()
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

/** The holders that have any of the given unique keys; each once, no lock. */
export async function findHoldersByKeys(
  db: Sql | Transaction,
  model: DataModel,
  owner: Owner,
  keys: readonly UniqueKey[],
): Promise<HeldHolder[]> {
  const layout = writeLayout(model, owner)
  const taken = keys.map((_, index) => `(u.attribute = $${2 * index + 1} and u.key = $${2 * index + 2})`).join(' or ')
  const query = `select distinct on (h.id) ${layout.select} from ${model.schema}.uniques u
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
    versionsOf: (attribute) =>
      layout.attributes.find((each) => each.attribute === attribute)?.read(row, created, provenance) ?? [],
  }
}
