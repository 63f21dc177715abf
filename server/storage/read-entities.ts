/** Reads entities: as answered to clients, and as a write needs them. */

import type { Sql, Transaction } from '../../db/connect'
import { prepareOptions } from '../../db/prepared-statements'
import type { Attribute, DataModel, ListType, EntityType } from '../data-model/model'
import { createLru, type Lru } from '../caching/lru'
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
import { type Micros, microsFromPostgres } from '../timing/clock'
import { rendererOf } from '../entities/read/render'
import { numbersOf } from './statement'
import type { UniqueKey } from './unique-keys'
import type { Creation, Provenance, Version } from './provenance'

/** An entity as a write found it. */
export interface StoredEntity {
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

const layouts = new WeakMap<EntityType, Lru<string, Layout>>()

/** More selections than writes usually make of an entity type's attributes. */
const MOST_LAYOUTS = 200

/** Attributes stored in columns; without a selection all, archived ones included: what a write may have to touch. */
function writeLayout(
  model: DataModel,
  entityType: EntityType,
  selected: readonly Attribute[] = entityType.attributes,
): Layout {
  let known = layouts.get(entityType)
  if (!known) layouts.set(entityType, (known = createLru(MOST_LAYOUTS)))
  const key = selected === entityType.attributes ? 'all' : numbersOf(selected)
  const made = known.get(key)
  if (made) return made
  const layout = compileLayout(
    model,
    entityType,
    selected.filter(({ stored_in }) => stored_in === 'columns'),
  )
  known.set(key, layout)
  return layout
}

/** One entity's row for its renderer, or undefined. */
export async function findRow(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  id: string,
): Promise<Row | undefined> {
  const query = `select ${rendererOf(model, entityType).layout.select} from ${entityType.table} h where h.id = $1`
  const rows = await db.unsafe(query, [id], { prepare: true }).values()
  return rows[0] as Row | undefined // rows as arrays
}

/** One entity for a write that checks its version when it writes, with the values of all or of selected attributes; no lock. */
export async function findEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  id: string,
  selected?: readonly Attribute[],
): Promise<StoredEntity | undefined> {
  const layout = writeLayout(model, entityType, selected)
  const query = `select ${layout.select} from ${entityType.table} h where h.id = $1`
  const rows = await db.unsafe(query, [id], prepareOptions(query)).values()
  const row = rows[0] as Row | undefined // rows as arrays
  return row && storedEntity(entityType, layout, row)
}

/** The entries of a list that stand for a record, as `findEntity`; the oldest first. */
export async function findEntriesFor(
  db: Sql | Transaction,
  model: DataModel,
  list: ListType,
  recordId: string,
): Promise<StoredEntity[]> {
  const layout = writeLayout(model, list)
  const query = `select ${layout.select} from ${list.table} h where h.parent_record_id = $1 order by h.created_at, h.id`
  const rows = (await db.unsafe(query, [recordId], { prepare: true }).values()) as unknown as Row[] // rows as arrays
  return rows.map((row) => storedEntity(list, layout, row))
}

/** The entities that have any of the given unique keys, with the values of selected attributes; each once, no lock. */
export async function findEntitiesByKeys(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  keys: readonly UniqueKey[],
  selected: readonly Attribute[],
): Promise<StoredEntity[]> {
  const layout = writeLayout(model, entityType, selected)
  const taken = keys.map((_, index) => `(u.attribute = $${2 * index + 1} and u.key = $${2 * index + 2})`).join(' or ')
  const each = keys.length > 1 ? 'distinct on (h.id)' : '' // one key has one entity
  const query = `select ${each} ${layout.select} from ${model.schema}.uniques u
    join ${entityType.table} h on h.id = u.entity_id where ${taken}`
  const parameters = keys.flatMap(({ attribute, key }) => [attribute, key])
  const rows = (await db.unsafe(query, parameters, prepareOptions(query)).values()) as unknown as Row[] // rows as arrays
  return rows.map((row) => storedEntity(entityType, layout, row))
}

/** Entities by id, locked against other writers until the transaction ends; those that do not exist are left out. */
export async function lockEntities(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  const layout = writeLayout(model, entityType)
  const query = `select ${layout.select} from ${entityType.table} h where h.id = any($1::uuid[]) order by h.id for no key update`
  const rows = (await tx.unsafe(query, [`{${ids.join(',')}}`], { prepare: true }).values()) as unknown as Row[] // rows as arrays
  return rows.map((row) => storedEntity(entityType, layout, row))
}

function storedEntity(entityType: EntityType, layout: Layout, row: Row): StoredEntity {
  const created = creationOf(row)
  const provenance = provenanceOf(row)
  return {
    id: idOf(row),
    version: versionOf(row),
    updated: microsFromPostgres(updatedAtText(row)),
    created,
    provenance,
    parentRecordId: entityType.kind === 'list' ? parentOf(row).recordId : undefined,
    versionsOf(attribute) {
      const read = layout.attributes.find((each) => each.attribute === attribute)
      if (!read && attribute.stored_in === 'columns') throw new Error(`Attribute ${attribute.id} was not read.`)
      return read?.read(row, created, provenance) ?? []
    },
  }
}
