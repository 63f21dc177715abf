/** What one attribute of an entry has and had. Spec: values 7. */

import { getList } from '../../access/list-access'
import type { Call } from '../../call'
import { entryNotFound } from '../../errors/errors'
import { attempt } from '../../entities/write/retry-on-conflict'
import { listValues, type ValuesQuery } from '../../entities/history/list-values'
import { entryIdOf } from '../../entities/read/path-id'
import { type ValueVersionInput, writeValues } from '../../entities/history/write-values'

export interface ValuesPath {
  readonly list: string
  readonly entryId: string
  readonly attribute: string
}

/** The values as JSON text. Throws 404 for list, entry and attribute. */
export const listEntryValues = (call: Call, path: ValuesPath, query: ValuesQuery): Promise<string> =>
  attempt(call, async (call) => {
    const list = getList(call, path.list, 'read-only')
    const id = entryIdOf(path.entryId)
    return orNotFound(id, await listValues(call, list, id, path.attribute, query))
  })

/** Replaces the history. Throws 404 for list, entry and attribute, 403 for the list. */
export const writeEntryValues = (call: Call, path: ValuesPath, inputs: readonly ValueVersionInput[]): Promise<string> =>
  attempt(call, async (call) => {
    const list = getList(call, path.list, 'read-and-write')
    const id = entryIdOf(path.entryId)
    return orNotFound(id, await writeValues(call, list, id, path.attribute, inputs))
  })

function orNotFound(id: string, text: string | undefined): string {
  if (text === undefined) throw entryNotFound(id)
  return text
}
