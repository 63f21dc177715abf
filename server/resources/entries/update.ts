import { getList } from '../../access/list-access'
import type { Call } from '../../call'
import { entryNotFound } from '../../errors/errors'
import type { Mode } from '../../entities/write/apply-values'
import { attributesNamed, readAssignments } from '../../entities/write/assignments'
import { attempt } from '../../entities/write/retry-on-conflict'
import { requireMatch } from '../../entities/read/etag'
import { entryIdOf } from '../../entities/read/path-id'
import { writeHolder } from '../../entities/write/update-entity'
import { type AnsweredEntry, answerEntry } from './answer'
import { refuseOtherParent } from './parent'
import type { EntryChange } from './schemas'

export interface EntryUpdate {
  readonly change: EntryChange
  /** PATCH adds to multiselects, PUT replaces them. */
  readonly mode: Mode
  /** The `If-Match` header. */
  readonly ifMatch: string | null
}

/**
 * Writes values to an entry and answers it as it is then. What is not named stays as it is.
 * Throws 404 for list and entry, 403 for the list, 400 for values and for another parent, 412 when the entry is at
 * another version. Spec: resources 5.1, values 3 and 4.
 */
export const updateEntry = (
  call: Call,
  slugOrId: string,
  entryId: string,
  { change, mode, ifMatch }: EntryUpdate,
): Promise<AnsweredEntry> =>
  attempt(call, async (call, round) => {
    const list = getList(call, slugOrId, 'read-and-write')
    const id = entryIdOf(entryId)
    const attributes = attributesNamed(list, change.entry_values)
    const writing = { call, owner: list, id, locking: round.locking, attributes }
    const row = await writeHolder(writing, async (db, holder) => {
      requireMatch(holder, ifMatch)
      refuseOtherParent(call.model, list, holder, change)
      const context = { member: 'entry_values', appends: mode === 'append' } as const
      const assignments = await readAssignments(call, list, change.entry_values, context, round, db)
      return { assignments, modeOf: () => mode }
    })
    if (!row) throw entryNotFound(id)
    return answerEntry(call, list, row)
  })
