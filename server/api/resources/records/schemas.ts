/** The schemas of records. `entities/write` checks the values by attribute. */

import { Type } from 'typebox'
import { batchAnswer, batchBody } from '#engine/entities/operations/schemas'
import { NewValues, ValuesInput, ValuesOutput } from '#engine/entities/read/schemas'
import { Pagination } from '#engine/query/parse/schemas'

const Uuid = Type.String({ format: 'uuid' })

export const CreateRecordBody = Type.Object({ data: Type.Object({ values: NewValues }) })
export const RecordBody = Type.Object({ data: Type.Object({ values: ValuesInput }) })

export const UpsertBody = Type.Object({
  data: Type.Object({ values: ValuesInput, values_on_create: Type.Optional(ValuesInput) }),
})

export const UpsertQuery = Type.Object({ matching_attribute: Type.Optional(Type.String()) })

export const MergeBody = Type.Object({
  data: Type.Object({ primary_record_id: Uuid, secondary_record_id: Uuid }),
})

export const RecordOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, object_id: Uuid, record_id: Uuid }),
  created_at: Type.String({ format: 'date-time' }),
  web_url: Type.String({ format: 'uri' }),
  values: ValuesOutput,
})

export const RecordAnswer = Type.Object({ data: RecordOutput })
export const RecordsAnswer = Type.Object({ data: Type.Array(RecordOutput), pagination: Type.Optional(Pagination) })
export const MergeAnswer = Type.Object({ data: Type.Object({ new_record_id: Uuid }) })
// Batches.

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
