/** Looks up the records that values refer to. See docs/reference/values.md (Record reference). */

import type { Sql, Transaction } from '#db/connect'
import type { RecordLookup } from '#engine/attribute-types/define'
import type { DataModel } from '#engine/data-model/model'
import { storedKey } from './unique-keys'

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
