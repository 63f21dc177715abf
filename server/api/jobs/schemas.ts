/** The schemas of jobs and of the requests that create them. See docs/reference/jobs.md. */

import { type Static, Type } from 'typebox'
import { TimeZone } from '#engine/query/parse/schemas'
import { ValuesInput } from '#engine/entities/read/schemas'

const Uuid = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })
const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])

/** `member` is the member of an update that has the values. */
export const bulkBody = <Member extends 'values' | 'entry_values'>(member: Member) =>
  Type.Object({
    data: Type.Object({
      filter: Type.Record(Type.String(), Type.Unknown(), {
        description: 'The filter of a query. `{}` matches everything.',
      }),
      time_zone: Type.Optional(TimeZone),
      operation: Type.Object({
        op: Type.Enum(['update', 'delete']),
        ...({ [member]: Type.Optional(ValuesInput) } as Record<Member, ReturnType<typeof optionalValues>>), // a computed name widens to string
        mode: Type.Optional(
          Type.Enum(['append', 'overwrite'], {
            default: 'append',
            description: 'Whether an update adds to the values of multiselect attributes or replaces them.',
          }),
        ),
      }),
    }),
  })

const optionalValues = () => Type.Optional(ValuesInput)

const JobError = Type.Object({
  record_id: Type.Optional(Uuid),
  entry_id: Type.Optional(Uuid),
  error: Type.Object({
    status_code: Type.Integer(),
    type: Type.String(),
    code: Type.String(),
    message: Type.String(),
  }),
})

export const JobOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, job_id: Uuid }),
  status: Type.Enum(['running', 'completed', 'failed', 'cancelled']),
  operation: Type.Enum(['update', 'delete', 'undo_import', 'undo_update']),
  import_id: nullable(Uuid),
  undone_job_id: nullable(Uuid),
  object_id: nullable(Uuid),
  activity_id: nullable(Uuid),
  list_id: nullable(Uuid),
  total: Type.Integer({ description: 'How many matched when the job was created.' }),
  done: Type.Integer({ description: 'How many were written, deleted or undone.' }),
  failed: Type.Integer(),
  kept: Type.Integer({
    description: 'How many records an undo left alone because they were changed since. Otherwise 0.',
  }),
  skipped: Type.Integer({
    description: 'How many no longer matched when their turn came. 0 before the end of the job.',
  }),
  errors: Type.Array(JobError, { description: 'The first 100 of `failed` and `kept`.' }),
  failure: nullable(Type.String({ description: 'Why a failed job ended before it had tried everything.' })),
  created_at: Timestamp,
  ended_at: nullable(Timestamp),
})
export type JobOutput = Static<typeof JobOutput>

export const JobAnswer = Type.Object({ data: JobOutput })
export const JobsAnswer = Type.Object({
  data: Type.Array(JobOutput),
  pagination: Type.Object({ next_cursor: Type.Union([Type.String(), Type.Null()]) }),
})

export const JobsQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String()),
})
export type JobsQuery = Static<typeof JobsQuery>
