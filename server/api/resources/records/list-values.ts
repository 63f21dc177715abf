import type { ApiContext } from '#context'
import { getObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { type ListedValues, listValues, type ValuesQuery } from '#engine/entities/history/list-values'
import { missingRecord, recordIdOf } from '#engine/entities/read/path-id'

export interface ValuesPath {
  readonly object: string
  readonly recordId: string
  readonly attribute: string
}

/**
 * Returns the values of one attribute of a record as JSON text. Throws 404 for object, record and attribute.
 * See docs/reference/values.md (History).
 */
export const listRecordValues = (context: ApiContext, path: ValuesPath, query: ValuesQuery): Promise<ListedValues> =>
  retryOnConflict(context, async (context) => {
    const object = getObject(context.model, path.object)
    const id = recordIdOf(path.recordId)
    const text = await listValues(context, object, id, path.attribute, query)
    if (text === undefined) throw await missingRecord(context, object, id)
    return text
  })
