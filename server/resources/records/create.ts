import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import { attempt } from '../../values/attempt'
import { createHolder } from '../../values/create-holder'
import { requireAll, withDefaults } from '../../values/defaults'
import type { Row } from '../../values/layout'
import { recordLookup } from '../../values/lookup'
import { parseValues } from '../../values/parse'
import { resolveAssignments } from '../../values/resolve'
import { type AnsweredRecord, answerRecord } from './answer'

/**
 * Creates a record with the given values and the object's defaults, and answers it.
 * Throws 404 for the object, 400 for values. Spec: resources 4, values 3 to 6.
 */
export const createRecord = (call: Call, object: string, values: Record<string, unknown>): Promise<AnsweredRecord> =>
  attempt(call, async (call) => {
    const row = await insertRecord(call, object, values)
    return answerRecord(call, getObject(call.model, object), row)
  })

/** One attempt at creating; for `attempt`. */
export async function insertRecord(call: Call, slugOrId: string, values: Record<string, unknown>): Promise<Row> {
  const { model, actor } = call
  const object = getObject(model, slugOrId)
  const lookup = recordLookup(call.db.sql, model)
  const parsed = parseValues(model, object, values, { member: 'values', appends: false })
  const given = await resolveAssignments(model, parsed, lookup)
  const assignments = await withDefaults(model, object, given, { actor, now: call.now() }, lookup)
  requireAll(model, object, assignments)
  return createHolder(call, object, { id: Bun.randomUUIDv7(), assignments })
}
