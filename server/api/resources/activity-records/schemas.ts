/** The schemas of records of activities. Those of their bodies are in `api/entities/record-bodies.ts`. */

import { Type } from 'typebox'
import { batchAnswer } from '#engine/entities/operations/schemas'
import { ValuesOutput } from '#engine/entities/read/schemas'
import { Pagination } from '#engine/query/parse/schemas'

const Uuid = Type.String({ format: 'uuid' })

const ActivityRecordOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, activity_id: Uuid, record_id: Uuid }),
  created_at: Type.String({ format: 'date-time' }),
  values: ValuesOutput,
})

export const ActivityRecordAnswer = Type.Object({ data: ActivityRecordOutput })
export const ActivityRecordsAnswer = Type.Object({
  data: Type.Array(ActivityRecordOutput),
  pagination: Type.Optional(Pagination),
})

const { id, ...others } = ActivityRecordOutput.properties
export const ActivityRecordBatchAnswer = batchAnswer(id, others)

export const DeleteActivityRecordQuery = Type.Object({
  permanent: Type.Optional(
    Type.Boolean({
      description: 'Whether the record is deleted for good. A record in the trash is deleted from it.',
    }),
  ),
})
