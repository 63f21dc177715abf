/** The schemas of records. Those of their bodies are in `api/entities/record-writes.ts`. */

import { Type } from 'typebox'
import { batchAnswer } from '#engine/entities/operations/schemas'
import { ValuesOutput } from '#engine/entities/read/schemas'
import { Pagination } from '#engine/query/parse/schemas'

const Uuid = Type.String({ format: 'uuid' })

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

const { id, ...others } = RecordOutput.properties
export const RecordBatchAnswer = batchAnswer(id, others)
