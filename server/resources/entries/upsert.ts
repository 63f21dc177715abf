import { getList } from '../../access/list-access/list-access'
import type { RequestContext } from '../../context'
import type { ListType } from '../../data-model/model'
import { ApiError } from '../../errors/api-error'
import { multipleMatches } from '../../errors/records'
import { newId } from '../../ids'
import { completeAssignments, givenFirst, readAssignments } from '../../entities/write/assignments'
import { retryOnConflict, type WriteAttempt } from '../../entities/write/retry-on-conflict'
import { createEntity } from '../../entities/write/create-entity'
import type { Row } from '../../storage/layout'
import type { Assignment } from '../../entities/write/parse-values'
import { type Parent, parentClaim } from '../../storage/parent'
import { findEntriesFor, type StoredEntity } from '../../storage/read-entities'
import { writeEntity } from '../../entities/write/update-entity'
import { VersionConflict } from '../../storage/preconditions'
import { UniqueKeyConflict } from '../../storage/unique-keys'
import { type AnsweredEntry, answerEntry } from './answer'
import { WHOLE } from './create'
import { getParent } from './parent'
import type { EntryUpsert } from './schemas'
import { hasEntry } from '../../storage/statements/find-entries'

/**
 * Updates the one entry that stands for a record, or creates it; multiselects become what is sent. Two of these at once
 * end on the same entry. Throws 404 and 403 for the list, 400 for the parent, for values, and when the record is in the
 * list several times. See docs/reference/lists-and-entries.md (Assert by record).
 */
export const upsertEntry = (context: RequestContext, slugOrId: string, input: EntryUpsert): Promise<AnsweredEntry> =>
  retryOnConflict(context, async (context, round) => {
    const list = getList(context, slugOrId, 'read-and-write')
    const parent = await getParent(context, list, input, round)
    const given = await readAssignments(context, list, input.entry_values, WHOLE, round)
    const create = async () =>
      insertFirst(context, list, parent, await withCreateOnly(context, list, given, input, round))
    const made = round.trusting && newOnes.has(list) ? await unlessRefused(create) : undefined
    if (made) return answerEntry(context, list, made)
    const found = await findOnly(context, list, parent)
    // Whoever asserts many entries makes most of them, or meets most of them again.
    if (found) newOnes.delete(list)
    else newOnes.add(list)
    return answerEntry(context, list, found ? await updateFound(context, list, found, given, round) : await create())
  })

/** Lists whose latest assertion made an entry: the next is tried that way before it is looked for. Decision 0027. */
const newOnes = new WeakSet<ListType>()

/** Nothing when the entry could not be made: there may be one, to which other rules apply. */
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

/** All that a new entry is to hold. */
async function withCreateOnly(
  context: RequestContext,
  list: ListType,
  given: readonly Assignment[],
  { values_on_create = {} }: EntryUpsert,
  round: WriteAttempt,
): Promise<Assignment[]> {
  const others = await readAssignments(context, list, values_on_create, WHOLE, round)
  return completeAssignments(context, list, givenFirst(given, others), round)
}

/** Creates the entry unless another writer did in the meantime: then the next attempt finds that one. Decision 0027. */
async function insertFirst(
  context: RequestContext,
  list: ListType,
  { object, recordId }: Parent,
  assignments: readonly Assignment[],
): Promise<Row> {
  const parent = { object, recordId, claim: parentClaim(list, recordId) }
  try {
    return await createEntity(context, list, { id: newId(), assignments, parent })
  } catch (error) {
    // Taken may also be a value that this very entry has by now.
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
  { locking }: WriteAttempt,
): Promise<Row> {
  const { id } = found
  const row = await writeEntity({ context, entityType, id, locking, found }, async () => ({
    assignments,
    modeOf: () => 'overwrite',
  }))
  // Gone between the look-up and the write: the next attempt creates it.
  if (!row) throw new VersionConflict()
  return row
}
