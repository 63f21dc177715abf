import { onLookups } from '../../../db/lookup-pool'
import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import type { Attribute, ObjectOwner } from '../../data-model/model'
import { missingValue, multipleMatches } from '../../errors/errors'
import { givenFirst, readAssignments } from '../../entities/write/assignments'
import { attempt, type Round } from '../../entities/write/retry-on-conflict'
import type { Row } from '../../storage/layout'
import type { Assignment } from '../../entities/write/parse-values'
import { findHoldersByKeys, type HeldHolder } from '../../entities/read/read-entities'
import { uniqueKeys } from '../../storage/unique-keys'
import { writeHolder } from '../../entities/write/update-entity'
import { KeysTaken, Outdated } from '../../entities/write/save-change'
import { type AnsweredRecord, answerRecord } from './answer'
import { insertRecord, WHOLE } from './create'
import { getMatchingAttribute } from './matching-attribute'

export interface Upsert {
  readonly matchingAttribute: string | undefined
  readonly values: Record<string, unknown>
  /** Used only when the record is created; what `values` names wins. */
  readonly valuesOnCreate: Record<string, unknown>
}

/**
 * Updates the record that has one of the payload's values of the matching attribute, or creates it. The matching
 * attribute gains values, every other multiselect becomes what is sent. Two of these at once end on the same record.
 * Throws 400 for the parameter and for values that belong to two records. Spec: values 4.
 */
export const upsertRecord = (call: Call, slugOrId: string, upsert: Upsert): Promise<AnsweredRecord> =>
  attempt(call, async (call, round) => {
    const object = getObject(call.model, slugOrId)
    const matching = getMatchingAttribute(call.model, object, upsert.matchingAttribute)
    const given = await readAssignments(call, object, upsert.values, WHOLE, round)
    const matched = await findMatch(call, object, matching, given)
    const row = matched
      ? await updateMatch(call, object, matching, given, { matched, locking: round.locking })
      : await insertUnlessMatched(
          call,
          object,
          matching,
          await withCreateOnly(call, object, given, upsert, round),
          round,
        )
    return answerRecord(call, object, row)
  })

/** The one record that has any of the values of the matching attribute. */
async function findMatch(
  { db, model }: Call,
  object: ObjectOwner,
  matching: Attribute,
  given: readonly Assignment[],
): Promise<HeldHolder | undefined> {
  const values = given.find(({ attribute }) => attribute === matching)?.values ?? []
  if (values.length === 0) throw missingValue(matching.id)
  const keys = uniqueKeys(matching, values)
  const attributes = given.map(({ attribute }) => attribute)
  const [first, ...others] = await onLookups(db, (sql) => findHoldersByKeys(sql, model, object, keys, attributes))
  if (first && others.length > 0) {
    const ids = [first, ...others].map(({ id }) => id).join(', ')
    throw multipleMatches(`Multiple records match the values of attribute "${matching.api_slug}": ${ids}.`)
  }
  return first
}

async function updateMatch(
  call: Call,
  owner: ObjectOwner,
  matching: Attribute,
  assignments: readonly Assignment[],
  { matched, locking }: { matched: HeldHolder; locking: boolean },
): Promise<Row> {
  const modeOf = ({ attribute }: Assignment) => (attribute === matching ? 'append' : 'overwrite')
  const writing = { call, owner, id: matched.id, locking, found: matched }
  const row = await writeHolder(writing, async () => ({ assignments, modeOf }))
  // Gone between the look-up and the write: the next attempt creates it.
  if (!row) throw new Outdated()
  return row
}

/** Creates the record; when another writer created one that matches in the meantime, the next attempt finds that. */
async function insertUnlessMatched(
  call: Call,
  object: ObjectOwner,
  matching: Attribute,
  assignments: readonly Assignment[],
  round: Round,
): Promise<Row> {
  try {
    return await insertRecord(call, object, assignments, round)
  } catch (error) {
    if (!(error instanceof KeysTaken)) throw error
    throw (await findMatch(call, object, matching, assignments)) ? new Outdated() : error
  }
}

/** The given values, and those only for a new record. */
async function withCreateOnly(
  call: Call,
  object: ObjectOwner,
  given: readonly Assignment[],
  { valuesOnCreate }: Upsert,
  round: Round,
): Promise<Assignment[]> {
  return givenFirst(given, await readAssignments(call, object, valuesOnCreate, WHOLE, round))
}
