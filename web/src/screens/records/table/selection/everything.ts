/** Reads everything that matches the filter of a table. */

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import { BATCH_SIZE } from '../../../../api/records/bulk'
import { type Filter, queryEntities } from '../../../../api/records/entities'

/** The ids, in batches. */
export async function* idsOfAll(entityType: EntityTypePath, filter: Filter): AsyncGenerator<readonly string[]> {
  let cursor: string | null = null
  do {
    const page = await queryEntities(entityType, { filter, fields: [], limit: BATCH_SIZE, cursor })
    yield page.entities.map(({ id }) => id)
    cursor = page.nextCursor
  } while (cursor !== null)
}
