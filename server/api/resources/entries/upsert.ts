import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import type { ListType } from '#engine/data-model/model'
import { ApiError } from '#base/errors/api-error'
import { multipleMatches } from '#base/errors/records'
import { newId } from '#base/ids'
import { completeAssignments, mergeAssignments, readAssignments } from '#engine/entities/write/assignments'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { createEntity } from '#engine/entities/write/create-entity'
import type { Row } from '#engine/storage/layout'
import type { Assignment } from '#engine/entities/write/parse-values'
import { type Parent, parentUniqueKey } from '#engine/storage/parent'
import { findEntriesFor, type StoredEntity } from '#engine/storage/read-entities'
import { writeEntity } from '#engine/entities/write/update-entity'
import { VersionConflict } from '#engine/storage/preconditions'
import { UniqueKeyConflict } from '#engine/storage/unique-keys'
import { type AnsweredEntry, answerEntry } from './answer'
import { OVERWRITE } from './create'
import { getParent } from './parent'
import type { EntryUpsert } from './schemas'
import { hasEntry } from '#engine/storage/statements/find-entries'

/**
 * Updates the one entry of a record, or creates it, and replaces the values of multiselects. Two concurrent requests write the
 * same entry. Throws 404 and 403 for the list, 400 for the parent, for values, and when the record has several entries in
 * the list. See docs/reference/lists-and-entries.md (Assert by record).
 */
export const upsertEntry = (context: RequestContext, slugOrId: string, input: EntryUpsert): Promise<AnsweredEntry> =>
  retryOnConflict(context, async (context, writeTry) => {
    const list = getList(context, slugOrId, 'read-and-write')
    const parent = await getParent(context, list, input, writeTry)
    const given = await readAssignments(context, list, input.entry_values, OVERWRITE, writeTry)
    const create = async () =>
      insertFirst(context, list, parent, await withCreateOnly(context, list, given, input, writeTry))
    const made = writeTry.assumeExists && newOnes.has(list) ? await unlessRefused(create) : undefined
    if (made) return answerEntry(context, list, made)
    const found = await findOnly(context, list, parent)
    // A caller who asserts many entries usually creates most of them, or finds most of them.
    if (found) newOnes.delete(list)
    else newOnes.add(list)
    return answerEntry(context, list, found ? await updateFound(context, list, found, given, writeTry) : await create())
  })

/** Lists whose latest assert created an entry. The next assert tries to insert before it searches. Decision 0027. */
const newOnes = new WeakSet<ListType>()

/** Returns undefined when the insert was refused: the entry may exist, and an update may be allowed. */
async function unlessRefused(create: () => Promise<Row>): Promise<Row | undefined> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof VersionConflict || error instanceof ApiError) return undefined
    throw error
  }
}

async function findOnly(
  context: RequestContext,
  list: ListType,
  { recordId }: Parent,
): Promise<StoredEntity | undefined> {
  const [found, ...others] = await findEntriesFor(context.db.sql, context.model, list, recordId)
  if (others.length === 0) return found
  throw multipleMatches(`Multiple entries of list "${list.api_slug}" stand for record "${recordId}".`)
}

/** Returns the values of a new entry: those of the request and `values_on_create`. */
async function withCreateOnly(
  context: RequestContext,
  list: ListType,
  given: readonly Assignment[],
  { values_on_create = {} }: EntryUpsert,
  writeTry: WriteTry,
): Promise<Assignment[]> {
  const others = await readAssignments(context, list, values_on_create, OVERWRITE, writeTry)
  return completeAssignments(context, list, mergeAssignments(given, others), writeTry)
}

/** Creates the entry. When a concurrent request created one, throws a version conflict, and the retry finds it. Decision 0027. */
async function insertFirst(
  context: RequestContext,
  list: ListType,
  { object, recordId }: Parent,
  assignments: readonly Assignment[],
): Promise<Row> {
  const parent = { object, recordId, uniqueKey: parentUniqueKey(list, recordId) }
  try {
    return await createEntity(context, list, { id: newId(), assignments, parent })
  } catch (error) {
    // The unique value may also belong to the entry that a concurrent request just created for this record.
    if (error instanceof UniqueKeyConflict && (await hasEntry(context.db.sql, list, recordId)))
      throw new VersionConflict()
    throw error
  }
}

async function updateFound(
  context: RequestContext,
  entityType: ListType,
  found: StoredEntity,
  assignments: readonly Assignment[],
  { locking }: WriteTry,
): Promise<Row> {
  const { id } = found
  const row = await writeEntity({ context, entityType, id, locking, found }, async () => ({
    assignments,
    multiselectWriteOf: () => 'overwrite',
  }))
  // The entry was deleted between the look-up and the write: the retry creates it.
  if (!row) throw new VersionConflict()
  return row
}
