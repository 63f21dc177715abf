/** The active and historic values of one attribute of an entry. See docs/reference/values.md (History). */

import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import { entryNotFound } from '#base/errors/lists'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { type ListedValues, listValues, type ValuesQuery } from '#engine/entities/history/list-values'
import { entryIdOf } from '#engine/entities/read/path-id'
import { type DatedValueInput, writeValues } from '#engine/entities/history/write-values'

export interface ValuesPath {
  readonly list: string
  readonly entryId: string
  readonly attribute: string
}

/** Returns the values as JSON text. Throws 404 for list, entry and attribute. */
export const listEntryValues = (context: RequestContext, path: ValuesPath, query: ValuesQuery): Promise<ListedValues> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, path.list, 'read-only')
    const id = entryIdOf(path.entryId)
    return orNotFound(id, await listValues(context, list, id, path.attribute, query))
  })

/** Replaces the history. Throws 404 for list, entry and attribute, 403 for the list. */
export const writeEntryValues = (
  context: RequestContext,
  path: ValuesPath,
  inputs: readonly DatedValueInput[],
): Promise<string> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, path.list, 'read-and-write')
    const id = entryIdOf(path.entryId)
    return orNotFound(id, await writeValues(context, list, id, path.attribute, inputs))
  })

function orNotFound<T extends ListedValues>(id: string, text: T | undefined): T {
  if (text === undefined) throw entryNotFound(id)
  return text
}
