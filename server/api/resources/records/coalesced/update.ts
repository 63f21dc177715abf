/** Updates of records by one caller at the same time share statements. See docs/decisions/batches.md. */

import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { findAttribute, findObject, getWritableObject } from '#engine/data-model/find'
import { updateOnce } from '#engine/entities/batch/update-together'
import { coalescerOf, type Coalescers, coalescingKey, createCoalescer } from '#engine/entities/coalesced/coalescer'
import { missingRecord, requireMatch } from '#engine/entities/read/etag'
import { readAssignments } from '#engine/entities/write/assignments'
import type { ApiError } from '#base/errors/api-error'
import { type AnsweredRecord, answerRecord } from '#api/resources/records/render'
import { type RecordUpdate, updateRecord } from '#api/resources/records/write'

interface Input {
  readonly context: ApiContext
  readonly object: string
  readonly recordId: string
  readonly update: RecordUpdate
}

const coalescers: Coalescers<Input, AnsweredRecord> = new WeakMap()

/** The same as `updateRecord`. */
export function updateRecordCoalesced(
  context: ApiContext,
  object: string,
  recordId: string,
  update: RecordUpdate,
): Promise<AnsweredRecord> {
  const input = { context, object, recordId, update }
  const key = isUuid(recordId) ? keyOf(input) : undefined
  if (key === undefined) return alone(input)
  return coalescerOf(coalescers, context.model, key, createUpdateCoalescer).write(input)
}

/** A unique value may be one that another transaction adds, for which a statement would wait. */
function keyOf({ context, object, update: { values, multiselectWrite } }: Input): string | undefined {
  const entityType = findObject(context.model, object)
  if (!entityType || Object.keys(values).some((slug) => findAttribute(entityType, slug)?.is_unique)) return undefined
  const key = coalescingKey(context, entityType, values)
  return key && `${key} ${object} ${multiselectWrite}`
}

const createUpdateCoalescer = () =>
  createCoalescer<Input, AnsweredRecord>({ idOf: ({ recordId }) => recordId.toLowerCase(), alone, together })

const alone = ({ context, object, recordId, update }: Input): Promise<AnsweredRecord> =>
  updateRecord(context, object, recordId, update)

/** All inputs have the same data model, actor and object. */
async function together(inputs: readonly Input[]): Promise<readonly (AnsweredRecord | ApiError)[]> {
  const [first] = inputs
  if (!first) return []
  const entityType = getWritableObject(first.context.model, first.object)
  const outcomes = await updateOnce(first.context, inputs, {
    entityTypeOf: () => entityType,
    idOf: ({ recordId }) => recordId.toLowerCase(),
    valuesOf: ({ update }) => update.values,
    async decide(context, { update }, entity, writeTry) {
      requireMatch(entity, update.ifMatch)
      const parsing = { member: 'values', appends: update.multiselectWrite === 'append' } as const
      const assignments = await readAssignments(context, entityType, update.values, parsing, writeTry)
      return { assignments, multiselectWriteOf: () => update.multiselectWrite }
    },
    missing: (context, id) => missingRecord(context, entityType, id),
    answer: 'rows',
  })
  return outcomes.map((outcome, index) => {
    if ('refusal' in outcome) return outcome.refusal
    if (outcome.row === undefined) throw new Error('The statement returns the row of each record.')
    return answerRecord((inputs[index] ?? first).context, entityType, outcome.row)
  })
}
