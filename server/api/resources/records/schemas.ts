/** The schemas of records. `entities/write` checks the values by attribute. */

import { Type } from 'typebox'
import { optionalLimitOffset } from '#api/http/request/pagination'
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

export const ValuesListQuery = Type.Object({
  show_historic: Type.Optional(Type.Boolean({ default: false })),
  ...optionalLimitOffset(),
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
export const EmptyAnswer = Type.Object({})
