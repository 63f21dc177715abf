import { getList } from '../../access/list-access'
import type { Call } from '../../call'
import type { ListOwner } from '../../data-model/model'
import { ApiError, multipleMatches } from '../../errors/errors'
import { newId } from '../../ids'
import { completeAssignments, givenFirst, readAssignments } from '../../entities/write/assignments'
import { attempt, type Round } from '../../entities/write/retry-on-conflict'
import { createHolder } from '../../entities/write/create-entity'
import type { Row } from '../../storage/layout'
import type { Assignment } from '../../entities/write/parse-values'
import { type Parent, parentClaim } from '../../entities/read/parent'
import { findEntriesFor, type HeldHolder } from '../../entities/read/read-entities'
import { writeHolder } from '../../entities/write/update-entity'
import { KeysTaken, Outdated } from '../../entities/write/save-change'
import { type AnsweredEntry, answerEntry } from './answer'
import { WHOLE } from './create'
import { getParent } from './parent'
import type { EntryUpsert } from './schemas'
import { hasEntry } from './store'

/**
 * Updates the one entry that stands for a record, or creates it; multiselects become what is sent. Two of these at once
 * end on the same entry. Throws 404 and 403 for the list, 400 for the parent, for values, and when the record is in the
 * list several times. Spec: resources 5.1, values 4.
 */
export const upsertEntry = (call: Call, slugOrId: string, input: EntryUpsert): Promise<AnsweredEntry> =>
  attempt(call, async (call, round) => {
    const list = getList(call, slugOrId, 'read-and-write')
    const parent = await getParent(call, list, input, round)
    const given = await readAssignments(call, list, input.entry_values, WHOLE, round)
    const create = async () => insertFirst(call, list, parent, await withCreateOnly(call, list, given, input, round))
    const made = round.trusting && newOnes.has(list) ? await unlessRefused(create) : undefined
    if (made) return answerEntry(call, list, made)
    const found = await findOnly(call, list, parent)
    // Whoever asserts many entries makes most of them, or meets most of them again.
    if (found) newOnes.delete(list)
    else newOnes.add(list)
    return answerEntry(call, list, found ? await updateFound(call, list, found, given, round) : await create())
  })

/** Lists whose latest assertion made an entry: the next is tried that way before it is looked for. Decision 0027. */
const newOnes = new WeakSet<ListOwner>()

/** Nothing when the entry could not be made: there may be one, to which other rules apply. */
async function unlessRefused(create: () => Promise<Row>): Promise<Row | undefined> {
  try {
    return await create()
  } catch (error) {
    if (error instanceof Outdated || error instanceof ApiError) return undefined
    throw error
  }
}

async function findOnly(call: Call, list: ListOwner, { recordId }: Parent): Promise<HeldHolder | undefined> {
  const [found, ...others] = await findEntriesFor(call.db.sql, call.model, list, recordId)
  if (others.length === 0) return found
  throw multipleMatches(`Multiple entries of list "${list.api_slug}" stand for record "${recordId}".`)
}

/** All that a new entry is to hold. */
async function withCreateOnly(
  call: Call,
  list: ListOwner,
  given: readonly Assignment[],
  { values_on_create = {} }: EntryUpsert,
  round: Round,
): Promise<Assignment[]> {
  const others = await readAssignments(call, list, values_on_create, WHOLE, round)
  return completeAssignments(call, list, givenFirst(given, others), round)
}

/** Creates the entry unless another writer did in the meantime: then the next attempt finds that one. Decision 0027. */
async function insertFirst(
  call: Call,
  list: ListOwner,
  { object, recordId }: Parent,
  assignments: readonly Assignment[],
): Promise<Row> {
  const parent = { object, recordId, claim: parentClaim(list, recordId) }
  try {
    return await createHolder(call, list, { id: newId(), assignments, parent })
  } catch (error) {
    // Taken may also be a value that this very entry has by now.
    if (error instanceof KeysTaken && (await hasEntry(call, list, recordId))) throw new Outdated()
    throw error
  }
}

async function updateFound(
  call: Call,
  owner: ListOwner,
  found: HeldHolder,
  assignments: readonly Assignment[],
  { locking }: Round,
): Promise<Row> {
  const { id } = found
  const row = await writeHolder({ call, owner, id, locking, found }, async () => ({
    assignments,
    modeOf: () => 'overwrite',
  }))
  // Gone between the look-up and the write: the next attempt creates it.
  if (!row) throw new Outdated()
  return row
}
