import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import { attempt } from '../../entities/write/retry-on-conflict'
import { missingRecord, recordIdOf } from '../../entities/read/path-id'
import { type ValueVersionInput, writeValues } from '../../entities/history/write-values'
import type { ValuesPath } from './list-values'

/** Replaces the history of one attribute of a record. Throws 404 for object, record and attribute. Spec: values 7. */
export const writeRecordValues = (
  call: Call,
  path: ValuesPath,
  inputs: readonly ValueVersionInput[],
): Promise<string> =>
  attempt(call, async (call) => {
    const object = getObject(call.model, path.object)
    const id = recordIdOf(path.recordId)
    const text = await writeValues(call, object, id, path.attribute, inputs)
    if (text === undefined) throw await missingRecord(call, id)
    return text
  })
