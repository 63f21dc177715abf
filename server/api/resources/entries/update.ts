import type { Sql, Transaction } from '#db/connect'
import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import type { ListType } from '#engine/data-model/model'
import { entryNotFound } from '#base/errors/lists'
import type { MultiselectWrite } from '#engine/entities/write/apply-values'
import { attributesNamed, readAssignments } from '#engine/entities/write/assignments'
import type { Update } from '#engine/entities/write/plan-update'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { requireMatch } from '#engine/entities/read/etag'
import { entryIdOf } from '#engine/entities/read/path-id'
import { writeEntity } from '#engine/entities/write/update-entity'
import type { StoredEntity } from '#engine/storage/read-entities'
import { type AnsweredEntry, answerEntry } from './answer'
import { refuseOtherParent } from './parent'
import type { EntryChange } from './schemas'

export interface EntryUpdate {
  readonly change: EntryChange
  /** PATCH adds to multiselects, PUT replaces them. */
  readonly multiselectWrite: MultiselectWrite
  /** The `If-Match` header. */
  readonly ifMatch: string | null
}

/**
 * Writes values to an entry and returns it. Attributes that the request does not name stay unchanged.
 * Throws 404 for list and entry, 403 for the list, 400 for values and for another parent, 412 when the entry has another
 * version.
 * See docs/reference/lists-and-entries.md (Entries) and docs/reference/values.md (The order of checks).
 */
export const updateEntry = (
  context: RequestContext,
  slugOrId: string,
  entryId: string,
  { change, multiselectWrite, ifMatch }: EntryUpdate,
): Promise<AnsweredEntry> =>
  retryOnConflict(context, async (context, writeTry) => {
    const list = getList(context, slugOrId, 'read-and-write')
    const id = entryIdOf(entryId)
    const attributes = attributesNamed(list, change.entry_values)
    const writing = { context, entityType: list, id, locking: writeTry.locking, attributes }
    const row = await writeEntity(writing, async (db, entity) => {
      requireMatch(entity, ifMatch)
      return readEntryUpdate(context, list, entity, { change, multiselectWrite, writeTry, db })
    })
    if (!row) throw entryNotFound(id)
    return answerEntry(context, list, row)
  })

/** Throws 400 for values and for another parent. */
export async function readEntryUpdate(
  context: RequestContext,
  list: ListType,
  entity: StoredEntity,
  {
    change,
    multiselectWrite,
    writeTry,
    db,
  }: Omit<EntryUpdate, 'ifMatch'> & { readonly writeTry: WriteTry; readonly db?: Sql | Transaction },
): Promise<Update> {
  refuseOtherParent(context.model, list, entity, change)
  const parsing = { member: 'entry_values', appends: multiselectWrite === 'append' } as const
  const assignments = await readAssignments(context, list, change.entry_values, parsing, writeTry, db)
  return { assignments, multiselectWriteOf: () => multiselectWrite }
}
