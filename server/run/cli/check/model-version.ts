/** Compares the model version in a workspace's schema with that of the control tables. */

import type { Database } from '#db/connect'
import { MODEL_TABLE } from '#engine/data-model/tables'
import type { ActualTable } from './actual-tables'
import type { Difference } from './compare'

/** The repair changes the data model, which stores the version. It inserts the row to store it in. */
export async function compareModelVersion(
  { sql }: Database,
  { schema, version }: { readonly schema: string; readonly version: number },
  actual: readonly ActualTable[],
): Promise<Difference[]> {
  const table = `"${schema}".${MODEL_TABLE.name}`
  const hasTable = actual.some(({ name }) => name === MODEL_TABLE.name)
  const rows = hasTable ? await sql.unsafe<{ version: number }[]>(`select version from ${table}`) : []
  if (rows.length === 1 && rows[0]?.version === version) return []
  const found = rows.map((row) => row.version).join(' and ') || 'missing'
  return [
    {
      message: `the model version of ${schema} is ${found} instead of ${version}`,
      repair: [`delete from ${table}`, `insert into ${table} (version) values (0)`],
    },
  ]
}
