import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import type { Mode } from '../../values/apply'
import { attempt } from '../../values/attempt'
import { recordLookup } from '../../values/lookup'
import { parseValues } from '../../values/parse'
import { resolveAssignments } from '../../values/resolve'
import { writeHolder } from '../../values/update-holder'
import { type AnsweredRecord, answerRecord } from './answer'
import { missingRecord, recordIdOf, requireMatch } from './find'

export interface RecordUpdate {
  readonly values: Record<string, unknown>
  /** PATCH adds to multiselects, PUT replaces them. */
  readonly mode: Mode
  /** The `If-Match` header. */
  readonly ifMatch: string | null
}

/**
 * Writes values to a record and answers it as it is then. What is not named stays as it is.
 * Throws 404 for object and record, 400 for values, 412 when the record is at another version. Spec: values 3 and 4.
 */
export const updateRecord = (
  call: Call,
  object: string,
  recordId: string,
  update: RecordUpdate,
): Promise<AnsweredRecord> =>
  attempt(call, async (call, { locking, trusting }) => {
    const { model } = call
    const owner = getObject(model, object)
    const id = recordIdOf(recordId)
    const row = await writeHolder({ call, owner, id, locking }, async (db, holder) => {
      requireMatch(holder, update.ifMatch)
      const context = { member: 'values', appends: update.mode === 'append' } as const
      const parsed = parseValues(model, owner, update.values, context)
      const assignments = await resolveAssignments(model, parsed, recordLookup(db, model, trusting))
      return { assignments, modeOf: () => update.mode }
    })
    if (!row) throw await missingRecord(call, id)
    return answerRecord(call, owner, row)
  })
