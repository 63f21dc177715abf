import { type Static, Type } from 'typebox'
import { batchAnswer, batchBody } from '#engine/entities/batch/schemas'
import { ValuesInput } from '#engine/entities/read/schemas'
import { RecordOutput } from '#api/resources/records/schemas'

export const RecordBatchBody = batchBody(
  '`create` has `values`; `update` has `record_id`, `values` and `mode`; `upsert` has `matching_attribute`, `values` and `values_on_create`; `delete` has `record_id`.',
)
const { id, ...others } = RecordOutput.properties
export const RecordBatchAnswer = batchAnswer(id, others)

const RecordId = Type.String()
const Mode = Type.Optional(Type.Union([Type.Literal('append'), Type.Literal('overwrite')]))

/** The members of each operation. */
export const RECORD_OPERATIONS = {
  create: Type.Object({ op: Type.Literal('create'), values: ValuesInput }),
  update: Type.Object({ op: Type.Literal('update'), record_id: RecordId, values: ValuesInput, mode: Mode }),
  upsert: Type.Object({
    op: Type.Literal('upsert'),
    matching_attribute: Type.Optional(Type.String()),
    values: ValuesInput,
    values_on_create: Type.Optional(ValuesInput),
  }),
  delete: Type.Object({ op: Type.Literal('delete'), record_id: RecordId }),
}

export type RecordOperation = Static<(typeof RECORD_OPERATIONS)[keyof typeof RECORD_OPERATIONS]>
