import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import type { ListType } from '#engine/data-model/model'
import { newId } from '#base/ids'
import { completeAssignments, readAssignments } from '#engine/entities/write/assignments'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { createEntity, type NewContents } from '#engine/entities/write/create-entity'
import { type AnsweredEntry, answerEntry } from './answer'
import { getParent } from './parent'
import type { EntryInput } from './schemas'

/** The values of the request replace those of every multiselect. */
export const OVERWRITE = { member: 'entry_values', appends: false } as const

/**
 * Creates an entry of a record, also when the list has one already, with the given values and the list's default values.
 * Throws 404 and 403 for the list, 400 for the parent and for values.
 * See docs/reference/lists-and-entries.md (Entries) and docs/reference/values.md (The order of checks).
 */
export const createEntry = (context: RequestContext, slugOrId: string, input: EntryInput): Promise<AnsweredEntry> =>
  retryOnConflict(context, async (context, writeTry) => {
    const list = getList(context, slugOrId, 'read-and-write')
    const contents = await readNewEntry(context, list, input, writeTry)
    return answerEntry(context, list, await createEntity(context, list, contents))
  })

/** Reads the parent and the values of a new entry, with the default values of the list. Throws 400 for both. */
export async function readNewEntry(
  context: RequestContext,
  list: ListType,
  input: EntryInput,
  writeTry: WriteTry,
): Promise<NewContents> {
  const parent = await getParent(context, list, input, writeTry)
  const given = await readAssignments(context, list, input.entry_values, OVERWRITE, writeTry)
  return { id: newId(), assignments: await completeAssignments(context, list, given, writeTry), parent }
}
