/** Reads entities: rows for renderers, and stored entities for writes. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType, ListType, ObjectType } from '#engine/data-model/model'
import {
  creationOf,
  idOf,
  type Layout,
  layoutOf,
  layoutOfSelected,
  parentOf,
  provenanceOf,
  type Row,
  updatedAtText,
  versionOf,
} from './layout'
import { type Micros, microsFromPostgres } from '#base/timing/clock'
import { rowsOf } from './statement'
import type { UniqueKey } from './unique-keys'
import type { Creation, Provenance, DatedValue } from './provenance'

/** An entity as a write read it. */
export interface StoredEntity {
  readonly id: string
  readonly version: number
  readonly updated: Micros
  readonly created: Creation
  readonly provenance: Provenance | null
  /** The parent record of an entry. */
  readonly parentRecordId?: string
  /** The active values of an attribute. One that is stored in columns must be among the attributes that were read. */
  valuesOf(attribute: Attribute): DatedValue[]
}

/** The layout of the attributes stored in columns; without a selection all, also archived ones. */
const writeLayout = (
  model: DataModel,
  entityType: EntityType,
  selected: readonly Attribute[] = entityType.attributes,
): Layout =>
  layoutOfSelected(
    model,
    entityType,
    selected.filter(({ stored_in }) => stored_in === 'columns'),
  )

/** The row of one entity for its renderer. */
export async function findRow(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  id: string,
): Promise<Row | undefined> {
  const query = `select ${layoutOf(model, entityType).select} from ${entityType.table} h where h.id = $1`
  const [row] = await rowsOf(db.unsafe(query, [id], { prepare: true }))
  return row
}

/** The rows of entities for their renderer, in any order. */
export const findRows = async (
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
): Promise<Row[]> => {
  if (ids.length === 0) return []
  const query = `select ${layoutOf(model, entityType).select} from ${entityType.table} h where h.id = any($1::uuid[])`
  return rowsOf(db.unsafe(query, [renderArray(ids)], prepareOptions(query)))
}

/** One entity with the values of all or of selected attributes, without a lock: the write checks its version. */
export async function findEntity(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  id: string,
  selected?: readonly Attribute[],
): Promise<StoredEntity | undefined> {
  const layout = writeLayout(model, entityType, selected)
  const query = `select ${layout.select} from ${entityType.table} h where h.id = $1`
  const [row] = await rowsOf(db.unsafe(query, [id], prepareOptions(query)))
  return row && storedEntity(entityType, layout, row)
}

/** A record in the trash, with all values. */
export async function findTrashedEntity(
  tx: Transaction,
  model: DataModel,
  object: ObjectType,
  id: string,
): Promise<StoredEntity | undefined> {
  const layout = writeLayout(model, object)
  const query = `
    select ${layout.select} from ${model.schema}.trash t, json_populate_record(null::${object.table}, t.content) h
    where t.id = $1 and t.object = ${object.number}`
  const [row] = await rowsOf(tx.unsafe(query, [id], prepareOptions(query)))
  return row && storedEntity(object, layout, row)
}

/** Entities by id with the values of selected attributes, without locks. Leaves out those that do not exist. */
export async function findEntities(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
  selected: readonly Attribute[],
): Promise<ReadonlyMap<string, StoredEntity>> {
  const layout = writeLayout(model, entityType, selected)
  const query = `select ${layout.select} from ${entityType.table} h where h.id = any($1::uuid[])`
  const rows = await rowsOf(db.unsafe(query, [renderArray(ids)], prepareOptions(query)))
  return new Map(rows.map((row) => [idOf(row), storedEntity(entityType, layout, row)]))
}

/** The entries of a list for a record, oldest first, without a lock. */
export async function findEntriesFor(
  db: Sql | Transaction,
  model: DataModel,
  list: ListType,
  recordId: string,
): Promise<StoredEntity[]> {
  const layout = writeLayout(model, list)
  const query = `select ${layout.select} from ${list.table} h where h.parent_record_id = $1 order by h.created_at, h.id`
  const rows = await rowsOf(db.unsafe(query, [recordId], { prepare: true }))
  return rows.map((row) => storedEntity(list, layout, row))
}

/** The entities that have any of the unique keys, each once, with the values of selected attributes and without a lock. */
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
  const rows = await rowsOf(db.unsafe(query, parameters, prepareOptions(query)))
  return rows.map((row) => storedEntity(entityType, layout, row))
}

/** Entities by id, locked against other writers until the transaction ends. Leaves out those that do not exist. */
export const lockEntities = (
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
): Promise<StoredEntity[]> => lock(tx, model, entityType, { ids, strength: 'no key update' })

/** Locks entities against every other writer, also against those that only refer to them. */
export const lockForDeletion = (
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
): Promise<StoredEntity[]> => lock(tx, model, entityType, { ids, strength: 'update' })

async function lock(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { ids, strength }: { readonly ids: readonly string[]; readonly strength: 'update' | 'no key update' },
): Promise<StoredEntity[]> {
  const layout = writeLayout(model, entityType)
  const query = `select ${layout.select} from ${entityType.table} h where h.id = any($1::uuid[]) order by h.id for ${strength}`
  const rows = await rowsOf(tx.unsafe(query, [renderArray(ids)], { prepare: true }))
  return rows.map((row) => storedEntity(entityType, layout, row))
}

/** Lets one writer of a side of a relationship at a time continue, without blocking writes that only refer to the entity. */
export async function lockRow(tx: Transaction, entityType: EntityType, id: string): Promise<void> {
  await tx.unsafe(`select 1 from ${entityType.table} where id = $1 for no key update`, [id], { prepare: true })
}

/**
 * Prevents the deletion and the merge of an entity until the transaction ends. Other writers continue. Returns false when
 * the entity does not exist.
 */
export async function lockAgainstDeletion(tx: Transaction, entityType: EntityType, id: string): Promise<boolean> {
  const rows = await tx.unsafe(`select 1 from ${entityType.table} where id = $1 for key share`, [id], { prepare: true })
  return rows.length > 0
}

/** Prevents all changes of an entry, also the merge of its parent record, whose id it returns. Undefined when the entry does not exist. */
export async function lockWithParent(tx: Transaction, list: ListType, id: string): Promise<string | undefined> {
  const query = `select parent_record_id from ${list.table} where id = $1 for share`
  const [row] = await tx.unsafe<{ parent_record_id: string }[]>(query, [id], { prepare: true })
  return row?.parent_record_id
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
    valuesOf(attribute) {
      const read = layout.attributes.find((each) => each.attribute === attribute)
      if (!read && attribute.stored_in === 'columns') throw new Error(`Attribute ${attribute.id} was not read.`)
      return read?.read(row, created, provenance) ?? []
    },
  }
}
