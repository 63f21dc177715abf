/** Finds records by id over several objects, and locks records against their deletion. */

import { renderArray, type Sql, type Transaction } from '#db/connect'
import { enabledObjects } from '#engine/data-model/find'
import type { DataModel, ObjectType } from '#engine/data-model/model'

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
