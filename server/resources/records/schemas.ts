/** Wire shapes of records. Values are checked attribute by attribute in `values/`. */

import { Type } from 'typebox'
import { optionalLimitOffset } from '../../http/pagination'
import { Pagination } from '../../query/wire'

const Uuid = Type.String({ format: 'uuid' })

const ValuesInput = Type.Record(Type.String(), Type.Unknown(), {
  description: 'Attribute slugs or ids with what is written to them: values, arrays of values, or short forms.',
})

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

export const ValueHistoryBody = Type.Object({
  data: Type.Object({
    values: Type.Array(
      Type.Object({
        active_from: Type.String(),
        active_until: Type.Union([Type.String(), Type.Null()]),
      }),
      { minItems: 1 },
    ),
    replace_history: Type.Literal(true),
  }),
})

const Actor = Type.Object({
  type: Type.Union([Type.String(), Type.Null()]),
  id: Type.Union([Type.String(), Type.Null()]),
})

/** A value as read: what all types share; the type's own members stand beside them. */
const Value = Type.Object({
  active_from: Type.String({ format: 'date-time' }),
  active_until: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  created_by_actor: Actor,
  attribute_type: Type.String(),
})

const RecordOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, object_id: Uuid, record_id: Uuid }),
  created_at: Type.String({ format: 'date-time' }),
  web_url: Type.String({ format: 'uri' }),
  values: Type.Record(Type.String(), Type.Array(Value)),
})

export const RecordAnswer = Type.Object({ data: RecordOutput })
export const RecordsAnswer = Type.Object({ data: Type.Array(RecordOutput), pagination: Type.Optional(Pagination) })
export const ValuesAnswer = Type.Object({ data: Type.Array(Value) })
export const MergeAnswer = Type.Object({ data: Type.Object({ new_record_id: Uuid }) })
export const EmptyAnswer = Type.Object({})
