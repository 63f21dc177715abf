/** Finds indexes of the index advisor that are ready in `relata.indexes` and missing in the database. */

import type { Database } from '#db/connect'
import type { ActualTable } from './actual-tables'
import type { Difference } from './compare'

/** The repair lets the service build the index again. */
export async function compareAdvisorIndexes(
  db: Database,
  workspaceId: string,
  schema: string,
  actual: readonly ActualTable[],
): Promise<Difference[]> {
  const ready = await db.sql<{ name: string }[]>`
    select name from relata.indexes where workspace_id = ${workspaceId} and state = 'ready' order by name`
  const valid = new Set(
    actual.flatMap(({ indexes }) => indexes.filter(({ is_valid }) => is_valid).map(({ name }) => name)),
  )
  return ready
    .filter(({ name }) => !valid.has(name))
    .map(({ name }) => ({
      message: `index ${schema}.${name}, which queries asked for, is missing`,
      repair: [`update relata.indexes set state = 'wanted' where workspace_id = '${workspaceId}' and name = '${name}'`],
    }))
}
