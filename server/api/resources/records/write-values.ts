import type { ApiContext } from '#context'
import { getWritableObject } from '#engine/data-model/find'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { missingRecord, recordIdOf } from '#engine/entities/read/path-id'
import { type DatedValueInput, writeValues } from '#engine/entities/history/write-values'
import type { ValuesPath } from './list-values'

/**
 * Replaces the history of one attribute of a record. Throws 404 for object, record and attribute.
 * See docs/reference/values.md (History).
 */
export const writeRecordValues = (
  context: ApiContext,
  path: ValuesPath,
  inputs: readonly DatedValueInput[],
): Promise<string> =>
  retryOnConflict(context, async (context) => {
    const object = getWritableObject(context.model, path.object)
    const id = recordIdOf(path.recordId)
    const text = await writeValues(context, object, id, path.attribute, inputs)
    if (text === undefined) throw await missingRecord(context, object, id)
    return text
  })
