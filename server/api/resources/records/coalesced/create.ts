/** Creations of records by one caller at the same time share statements. See docs/decisions/batches.md. */

import type { ApiContext } from '#context'
import { findObject, getWritableObject } from '#engine/data-model/find'
import { createOnce } from '#engine/entities/batch/create-together'
import { coalescerOf, type Coalescers, coalescingKey, createCoalescer } from '#engine/entities/coalesced/coalescer'
import { completeAssignments, readAssignments } from '#engine/entities/write/assignments'
import type { ApiError } from '#base/errors/api-error'
import { newId } from '#base/ids'
import { type AnsweredRecord, answerRecord } from '#api/resources/records/render'
import { createRecord, OVERWRITE } from '#api/resources/records/write'

interface Input {
  readonly context: ApiContext
  readonly object: string
  readonly values: Record<string, unknown>
}

const coalescers: Coalescers<Input, AnsweredRecord> = new WeakMap()

/** The same as `createRecord`. */
export function createRecordCoalesced(
  context: ApiContext,
  object: string,
  values: Record<string, unknown>,
): Promise<AnsweredRecord> {
  const entityType = findObject(context.model, object)
  const key = entityType && coalescingKey(context, entityType, values)
  if (key === undefined) return createRecord(context, object, values)
  return coalescerOf(coalescers, context.model, `${key} ${object}`, createCreationCoalescer).write({
    context,
    object,
    values,
  })
}

const createCreationCoalescer = () =>
  createCoalescer<Input, AnsweredRecord>({
    idOf: () => undefined,
    alone: ({ context, object, values }) => createRecord(context, object, values),
    together,
  })

/** All inputs have the same data model, actor and object. */
async function together(inputs: readonly Input[]): Promise<readonly (AnsweredRecord | ApiError)[]> {
  const [first] = inputs
  if (!first) return []
  const object = getWritableObject(first.context.model, first.object)
  const outcomes = await createOnce(first.context, inputs, {
    entityTypeOf: () => object,
    async read(context, { values }, writeTry) {
      const given = await readAssignments(context, object, values, OVERWRITE, writeTry)
      return { id: newId(), assignments: await completeAssignments(context, object, given, writeTry) }
    },
    answer: 'rows',
  })
  return outcomes.map((outcome, index) => {
    if ('refusal' in outcome) return outcome.refusal
    if (outcome.row === undefined) throw new Error('The statement returns the row of each record.')
    return answerRecord((inputs[index] ?? first).context, object, outcome.row)
  })
}
