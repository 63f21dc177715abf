/** Creates, updates, asserts and deletes entries. See docs/reference/lists-and-entries.md. */

import { getList } from '#access/list-access/list-access'
import type { RequestContext } from '#context'
import type { ListType } from '#engine/data-model/model'
import { newId } from '#base/ids'
import {
  attributesNamed,
  completeAssignments,
  mergeAssignments,
  readAssignments,
} from '#engine/entities/write/assignments'
import { retryOnConflict, type WriteTry } from '#engine/entities/write/retry-on-conflict'
import { createEntity, type NewContents } from '#engine/entities/write/create-entity'
import { type AnsweredEntry, answerEntry } from './render'
import { getParent, refuseOtherParent } from './parent'
import type { EntryChange, EntryInput, EntryUpsert } from './schemas'
import type { Sql, Transaction } from '#db/connect'
import { entryNotFound } from '#base/errors/attributes'
import type { MultiselectWrite } from '#engine/entities/write/apply-values'
import { type Update, writeEntity } from '#engine/entities/write/update-entity'
import { entryIdOf, requireMatch } from '#engine/entities/read/etag'
import { findEntriesFor, type StoredEntity } from '#engine/storage/read-entities'
import { ApiError } from '#base/errors/api-error'
import { multipleMatches } from '#base/errors/records'
import type { Row } from '#engine/storage/layout'
import type { Assignment } from '#engine/entities/write/parse-values'
import { type Parent, parentUniqueKey } from '#engine/storage/find-records'
import { VersionConflict } from '#engine/storage/preconditions'
import { UniqueKeyConflict } from '#engine/storage/unique-keys'
import { hasEntry } from '#engine/storage/statements/find-entries'
import { deleteEntryEntities } from '#engine/entities/write/delete-entity'

/** The values of the request replace those of every multiselect. */
const OVERWRITE = { member: 'entry_values', appends: false } as const

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

interface EntryUpdate {
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

/** Lists whose latest assert created an entry. The next assert tries to insert before it searches. See docs/decisions/lists-and-entries.md. */
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

/** Creates the entry. When a concurrent request created one, throws a version conflict, and the retry finds it. See docs/decisions/lists-and-entries.md. */
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

/**
 * Deletes an entry, not its record. Throws 404 for list and entry, 403 for the list, 412 when the entry has another version
 * than `ifMatch` names. See docs/reference/lists-and-entries.md (Entries).
 */
export const deleteEntry = (
  context: RequestContext,
  slugOrId: string,
  entryId: string,
  ifMatch: string | null,
): Promise<object> =>
  retryOnConflict(context, async (context) => {
    const list = getList(context, slugOrId, 'read-and-write')
    const id = entryIdOf(entryId)
    const deleted = await deleteEntryEntities(context, list, [id], (entity) => requireMatch(entity, ifMatch))
    if (!deleted.has(id)) throw entryNotFound(id)
    return {}
  })

/**
 * Deletes entries with shared statements, as if `deleteEntry` deleted one after the other. The ids differ. Returns an error for each
 * entry that does not exist.
 */
export const deleteEntries = (
  context: RequestContext,
  slugOrId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ApiError>> =>
  retryOnConflict(context, async (context) => {
    const deleted = await deleteEntryEntities(context, getList(context, slugOrId, 'read-and-write'), ids, () => {})
    return new Map(ids.flatMap((id) => (deleted.has(id) ? [] : [[id, entryNotFound(id)]])))
  })
