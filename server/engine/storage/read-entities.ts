/** Reads entities: rows for renderers, and stored entities for writes. */

import { prepareOptions, renderArray, type Sql, type Transaction } from '#db/connect'
import type { Attribute, DataModel, EntityType, ListType, ObjectType, RecordType } from '#engine/data-model/model'
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
import { type Placeholder, rowsOf, statementFor } from './statement'
import { type UniqueKey, storedKey } from './unique-keys'
import type { Creation, Provenance, DatedValue } from './provenance'
import { enabledObjects } from '#engine/data-model/find'
import type { RecordLookup } from '#engine/attribute-types/define'
import type { ReferenceTargets } from './preconditions'

/** An entity as a write read it. */
export interface StoredEntity {
  readonly id: string
  readonly version: number
  readonly updated: Micros
  readonly created: Creation
  readonly provenance: Provenance | null
  /** The parent record of an entry. */
  readonly parentRecordId?: string
  /** The number of the object of the parent record. */
  readonly parentObject?: number
  /** The active values of an attribute. One that is stored in columns must be among the attributes that were read. */
  valuesOf(attribute: Attribute): DatedValue[]
}

/** The layout of the selected attributes that have columns; without a selection of all that writes fill, also archived ones. */
function writeLayout(model: DataModel, entityType: EntityType, selected?: readonly Attribute[]): Layout {
  const attributes = selected ?? entityType.attributes.filter(({ stored_in }) => stored_in === 'columns')
  return layoutOfSelected(model, entityType, attributes.filter(hasColumns))
}

const hasColumns = ({ stored_in }: Attribute): boolean => ['columns', 'formula', 'worker'].includes(stored_in)

/** The row of one entity for its renderer. */
export async function findRow(
  db: Sql | Transaction,
  model: DataModel,
  entityType: EntityType,
  id: string,
): Promise<Row | undefined> {
  const { text, parameters } = rowStatement(model, entityType, id)
  const [row] = await rowsOf(db.unsafe(text, parameters, { prepare: true }))
  return row
}

/** The statement that reads the row of one entity. Its text is built once for each version of the entity type. */
export function rowStatement(model: DataModel, entityType: EntityType, id: string) {
  const build = (param: Placeholder) =>
    `select ${layoutOf(model, entityType).select} from ${entityType.table} h where h.id = ${param('id')}`
  return { text: statementFor(entityType, 'row', build).text, parameters: [id] }
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
  object: RecordType,
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

/**
 * Entities by id with the values of all or of selected attributes, locked against other writers until the transaction ends. Leaves out those
 * that do not exist.
 */
export const lockEntities = (
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
  selected?: readonly Attribute[],
): Promise<StoredEntity[]> => lock(tx, model, entityType, { ids, strength: 'no key update', selected })

/** Locks entities against every other writer, also against those that only refer to them. */
export const lockForDeletion = (
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  ids: readonly string[],
): Promise<StoredEntity[]> => lock(tx, model, entityType, { ids, strength: 'update' })

interface Locking {
  readonly ids: readonly string[]
  readonly strength: 'update' | 'no key update'
  readonly selected?: readonly Attribute[] | undefined
}

async function lock(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { ids, strength, selected }: Locking,
): Promise<StoredEntity[]> {
  const layout = writeLayout(model, entityType, selected)
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

/** Prevents all changes of an entry, also the merge of its parent record, which it returns. Undefined when the entry does not exist. */
export async function lockWithParent(
  tx: Transaction,
  { table, parentObjects }: ListType,
  id: string,
): Promise<{ readonly objectId: string; readonly recordId: string } | undefined> {
  const query = `select parent_object, parent_record_id from ${table} where id = $1 for share`
  const [row] = await tx.unsafe<{ parent_object: number; parent_record_id: string }[]>(query, [id], { prepare: true })
  const object = parentObjects.find(({ number }) => number === row?.parent_object)
  return row && object && { objectId: object.id, recordId: row.parent_record_id }
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
    parentObject: entityType.kind === 'list' ? parentOf(row).object : undefined,
    valuesOf(attribute) {
      for (const each of layout.attributes) if (each.attribute === attribute) return each.read(row, created, provenance)
      if (attribute.stored_in === 'columns') throw new Error(`Attribute ${attribute.id} was not read.`)
      return []
    },
  }
}

// Finds records by id over several objects, and locks records against their deletion.

/** The object of each record with one of these ids. Leaves out ids that no record has. */
export async function findObjectsOfRecords(
  sql: Sql | Transaction,
  model: DataModel,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ObjectType>> {
  if (ids.length === 0) return new Map()
  const objects = new Map(enabledObjects(model).map((object) => [object.number, object]))
  const selects = [...objects.values()].map(
    ({ number, table }) => `select ${number} as object, id from ${table} where id = any($1::uuid[])`,
  )
  const rows = await sql.unsafe<{ object: number; id: string }[]>(selects.join(' union all '), [renderArray(ids)])
  return new Map(
    rows.flatMap(({ object, id }) => {
      const found = objects.get(object)
      return found === undefined ? [] : [[id, found] as const]
    }),
  )
}

/** Locks records of an object or an activity until the transaction ends, so that no other transaction deletes them. Returns the ids of those that exist. */
export async function lockExistingRecords(
  tx: Transaction,
  object: RecordType,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const query = `select id from ${object.table} where id = any($1::uuid[]) order by id for key share`
  const rows = await tx.unsafe<{ id: string }[]>(query, [renderArray(ids)], { prepare: true })
  return new Set(rows.map(({ id }) => id))
}

// Looks up the records that values refer to. See docs/reference/values.md (Record reference).

/**
 * Looks up records by id and by unique value. With `assumeExists`, every id counts as that of a record: only for writes whose
 * statement has the preconditions for it.
 */
export const createRecordLookup = (sql: Sql | Transaction, model: DataModel, assumeExists = false): RecordLookup => ({
  async recordExists(object, id) {
    if (assumeExists) return true
    const rows = await sql.unsafe(`select 1 from ${object.table} where id = $1`, [id], { prepare: true })
    return rows.length > 0
  },
  async findRecordByKey(_object, attribute, key) {
    const query = `select entity_id from ${model.schema}.uniques where attribute = $1 and key = $2`
    const [row] = await sql.unsafe<{ entity_id: string }[]>(query, [attribute.number, storedKey(key)], {
      prepare: true,
    })
    return row?.entity_id
  },
})

/** The parent record of an entry. See docs/reference/lists-and-entries.md (Entries). */
export interface Parent {
  readonly object: ObjectType
  readonly recordId: string
  /** With this key, the insert fails if the record has an entry already. Of two concurrent inserts, the second fails. */
  readonly uniqueKey?: UniqueKey
}

/** The contents of an entry's further columns, by name; none for a record. */
export const parentValues = (parent: Parent | undefined): Readonly<Record<string, unknown>> =>
  parent === undefined ? {} : { parent_object: parent.object.number, parent_record_id: parent.recordId }

/**
 * The unique key of an entry that was created by asserting the entry of a record. It lets one of two concurrent requests
 * create the entry. Entries created otherwise have no such key. See docs/decisions/lists-and-entries.md.
 */
export function parentUniqueKey(list: ListType, recordId: string): UniqueKey {
  const attribute = list.attributes.find(({ api_slug }) => api_slug === 'parent_record')
  if (!attribute) throw new Error(`List ${list.id} has no parent record.`)
  return { attribute: attribute.number, key: recordId }
}

/** The parent record as a target, which must exist until the insert of the entry commits. */
export const parentTarget = ({ object, recordId }: Parent): ReferenceTargets => ({
  table: object.table,
  ids: [recordId],
})

/** The lists whose entries stand for records of the object; an activity has none. */
export const listsOf = (model: DataModel, object: RecordType): ListType[] =>
  model.entityTypes.filter(
    (entityType): entityType is ListType =>
      entityType.kind === 'list' && entityType.parentObjects.some(({ id }) => id === object.id),
  )

/** The condition that an entry's parent record is one of the ids `$1`. */
export const PARENT_IS_ANY = 'parent_record_id = any($1::uuid[])'

// The rows of entries by their parent record.

/** Whether a record has an entry in a list. */
export async function hasEntry(sql: Sql, list: ListType, recordId: string): Promise<boolean> {
  const query = `select 1 from ${list.table} where parent_record_id = $1 limit 1`
  return (await sql.unsafe(query, [recordId], { prepare: true })).length > 0
}

/** An entry, with its list. */
export interface EntryRow {
  readonly list: number
  readonly id: string
  readonly created_at: string
}

/** Reads a page of the entries of a record in these lists, the newest last. */
export async function listEntriesOf(
  sql: Sql,
  lists: readonly ListType[],
  recordId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<EntryRow[]> {
  if (lists.length === 0) return []
  const entries = lists.map(
    ({ number, table }) => `select ${number} as list, id, created_at from ${table} where parent_record_id = $1`,
  )
  const query = `${entries.join(' union all ')} order by created_at, id limit $2 offset $3`
  return sql.unsafe<EntryRow[]>(query, [recordId, limit, offset])
}
