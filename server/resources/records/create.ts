import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import type { ObjectOwner } from '../../data-model/model'
import { newId } from '../../ids'
import { completeAssignments, readAssignments } from '../../entities/write/assignments'
import { attempt, type Round } from '../../entities/write/retry-on-conflict'
import { createHolder } from '../../entities/write/create-entity'
import type { Row } from '../../storage/layout'
import type { Assignment } from '../../entities/write/parse-values'
import { type AnsweredRecord, answerRecord } from './answer'

/** Every multiselect becomes what is sent. */
export const WHOLE = { member: 'values', appends: false } as const

/**
 * Creates a record with the given values and the object's defaults, and answers it.
 * Throws 404 for the object, 400 for values. Spec: resources 4, values 3 to 6.
 */
export const createRecord = (call: Call, slugOrId: string, values: Record<string, unknown>): Promise<AnsweredRecord> =>
  attempt(call, async (call, round) => {
    const object = getObject(call.model, slugOrId)
    const given = await readAssignments(call, object, values, WHOLE, round)
    return answerRecord(call, object, await insertRecord(call, object, given, round))
  })

/** One attempt at creating a record with these values and the defaults of the rest; for `attempt`. */
export async function insertRecord(
  call: Call,
  object: ObjectOwner,
  given: readonly Assignment[],
  round: Round,
): Promise<Row> {
  const assignments = await completeAssignments(call, object, given, round)
  return createHolder(call, object, { id: newId(), assignments })
}
