import type { Call } from '../../call'
import { getObject } from '../../data-model/find'
import type { Mode } from '../../entities/write/apply-values'
import { attributesNamed, readAssignments } from '../../entities/write/assignments'
import { attempt } from '../../entities/write/retry-on-conflict'
import { requireMatch } from '../../entities/read/etag'
import { missingRecord, recordIdOf } from '../../entities/read/path-id'
import { writeHolder } from '../../entities/write/update-entity'
import { type AnsweredRecord, answerRecord } from './answer'

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
  attempt(call, async (call, round) => {
    const owner = getObject(call.model, object)
    const id = recordIdOf(recordId)
    const writing = { call, owner, id, locking: round.locking, attributes: attributesNamed(owner, update.values) }
    const row = await writeHolder(writing, async (db, holder) => {
      requireMatch(holder, update.ifMatch)
      const context = { member: 'values', appends: update.mode === 'append' } as const
      const assignments = await readAssignments(call, owner, update.values, context, round, db)
      return { assignments, modeOf: () => update.mode }
    })
    if (!row) throw await missingRecord(call, id)
    return answerRecord(call, owner, row)
  })
