/** Finds records by id over several objects, and locks records against their deletion. */

import { renderArray, type Sql, type Transaction } from '#db/connect'
import { enabledObjects } from '#engine/data-model/find'
import type { DataModel, ListType, ObjectType } from '#engine/data-model/model'
import type { RecordLookup } from '#engine/attribute-types/define'
import { storedKey, type UniqueKey } from './unique-keys'
import type { ReferenceTargets } from './preconditions'

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

/** Locks records of an object until the transaction ends, so that no other transaction deletes them. Returns the ids of those that exist. */
export async function lockExistingRecords(
  tx: Transaction,
  object: ObjectType,
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

/** The lists whose entries stand for records of the object. */
export const listsOf = (model: DataModel, object: ObjectType): ListType[] =>
  model.entityTypes.filter(
    (entityType): entityType is ListType => entityType.kind === 'list' && entityType.parent_object_id === object.id,
  )

/** The condition that an entry's parent record is one of the ids `$1`. */
export const PARENT_IS_ANY = 'parent_record_id = any($1::uuid[])'
