import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import type { ObjectOwner } from '../../data-model/model'
import { attempt, type Round } from '../../values/attempt'
import { createHolder } from '../../values/create-holder'
import { requireAll, withDefaults } from '../../values/defaults'
import type { Row } from '../../values/layout'
import { recordLookup } from '../../values/lookup'
import { type Assignment, parseValues } from '../../values/parse'
import { resolveAssignments } from '../../values/resolve'
import { type AnsweredRecord, answerRecord } from './answer'

/**
 * Creates a record with the given values and the object's defaults, and answers it.
 * Throws 404 for the object, 400 for values. Spec: resources 4, values 3 to 6.
 */
export const createRecord = (call: Call, slugOrId: string, values: Record<string, unknown>): Promise<AnsweredRecord> =>
  attempt(call, async (call, round) => {
    const object = getObject(call.model, slugOrId)
    const given = await readAssignments(call, object, values, round)
    return answerRecord(call, object, await insertRecord(call, object, given, round))
  })

/** What a new record is to hold, as far as the body says. */
export function readAssignments(
  { model, db }: Call,
  object: ObjectOwner,
  values: Record<string, unknown>,
  { trusting }: Round,
): Promise<Assignment[]> {
  const parsed = parseValues(model, object, values, { member: 'values', appends: false })
  return resolveAssignments(model, parsed, recordLookup(db.sql, model, trusting))
}

/** One attempt at creating a record with these values and the defaults of the rest; for `attempt`. */
export async function insertRecord(
  call: Call,
  object: ObjectOwner,
  given: readonly Assignment[],
  { trusting }: Round,
): Promise<Row> {
  const { model, actor } = call
  const lookup = recordLookup(call.db.sql, model, trusting)
  const assignments = await withDefaults(model, object, given, { actor, now: call.now() }, lookup)
  requireAll(model, object, assignments)
  return createHolder(call, object, { id: Bun.randomUUIDv7(), assignments })
}
