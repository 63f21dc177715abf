import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import { attempt } from '../../entities/write/retry-on-conflict'
import { listValues, type ValuesQuery } from '../../entities/history/list-values'
import { missingRecord, recordIdOf } from '../../entities/read/path-id'

export interface ValuesPath {
  readonly object: string
  readonly recordId: string
  readonly attribute: string
}

/** The values of one attribute of a record as JSON text. Throws 404 for object, record and attribute. Spec: values 7. */
export const listRecordValues = (call: Call, path: ValuesPath, query: ValuesQuery): Promise<string> =>
  attempt(call, async (call) => {
    const object = getObject(call.model, path.object)
    const id = recordIdOf(path.recordId)
    const text = await listValues(call, object, id, path.attribute, query)
    if (text === undefined) throw await missingRecord(call, id)
    return text
  })
