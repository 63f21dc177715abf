/** Wire shapes of tasks. See docs/reference/tasks.md (Members, Lists of tasks). */

import { type Static, Type } from 'typebox'
import { limitOffset } from '#api/http/request/pagination'

const Uuid = Type.String({ format: 'uuid' })
const Timestamp = Type.String({ format: 'date-time' })

/** Longer texts are no timestamps, addresses or ids. They are refused before they are parsed. */
const MAX_TEXT = 1000
const MAX_TIMESTAMP = 100
/** How many records a task can be linked to, and how many assignees it can have. */
const MAX_ITEMS = 1000

const ShortText = Type.String({ maxLength: MAX_TEXT })

export const Content = Type.String({ minLength: 1, maxLength: 2000 })
const Format = Type.Enum(['plaintext'])
const Deadline = Type.Union([Type.String({ maxLength: MAX_TIMESTAMP }), Type.Null()], {
  description: 'An ISO 8601 date or timestamp. A date means its beginning in UTC.',
})

/** Without `target_record_id`, one further member names a unique attribute and holds its value. */
const LinkedRecord = Type.Union([
  Type.Object({ target_object: ShortText, target_record_id: Type.Optional(Uuid) }),
  Type.String({
    maxLength: MAX_TEXT,
    description: 'The domain of a company, the email address of a person, or the id of any record.',
  }),
])
export type TaskRecordInput = Static<typeof LinkedRecord>

const Assignee = Type.Union([
  Type.Object({ referenced_actor_type: Type.Enum(['workspace-member']), referenced_actor_id: Uuid }),
  Type.Object({ workspace_member_email_address: ShortText }),
  Type.String({ maxLength: MAX_TEXT, description: 'The id or the email address of a member.' }),
])
export type AssigneeInput = Static<typeof Assignee>

export const TaskInput = Type.Object({
  content: Content,
  format: Format,
  deadline_at: Deadline,
  is_completed: Type.Boolean(),
  linked_records: Type.Array(LinkedRecord, { maxItems: MAX_ITEMS }),
  assignees: Type.Array(Assignee, { maxItems: MAX_ITEMS }),
})
export type TaskInput = Static<typeof TaskInput>

const { deadline_at, is_completed, linked_records, assignees } = TaskInput.properties

/** `content` counts only together with `format`. Other contents are ignored, so they are not checked. */
export const TaskChange = Type.Object({
  ...Type.Partial(Type.Object({ deadline_at, is_completed, linked_records, assignees })).properties,
  content: Type.Optional(Type.Unknown({ description: 'Changes the content if the body has `format` too.' })),
  format: Type.Optional(Format),
})
export type TaskChange = Static<typeof TaskChange>

export const CreateTaskBody = Type.Object({ data: TaskInput })
export const UpdateTaskBody = Type.Object({ data: TaskChange })

const Actor = Type.Object({ type: Type.String(), id: Type.Union([Uuid, Type.Null()]) })

export const TaskOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, task_id: Uuid }),
  content_plaintext: Type.String(),
  deadline_at: Type.Union([Timestamp, Type.Null()]),
  is_completed: Type.Boolean(),
  completed_at: Type.Union([Timestamp, Type.Null()]),
  linked_records: Type.Array(
    Type.Object({
      target_object_id: Type.String({ description: 'The slug of the object.' }),
      target_record_id: Uuid,
    }),
  ),
  assignees: Type.Array(Type.Object({ referenced_actor_type: Type.String(), referenced_actor_id: Uuid })),
  created_by_actor: Actor,
  created_at: Timestamp,
})
export type TaskOutput = Static<typeof TaskOutput>

export const TaskAnswer = Type.Object({ data: TaskOutput })
export const TasksAnswer = Type.Object({ data: Type.Array(TaskOutput) })
const Sort = Type.Enum([
  'created_at:asc',
  'created_at:desc',
  'completed_at:asc',
  'completed_at:desc',
  'deadline_at:asc',
  'deadline_at:desc',
])
export type TaskSort = Static<typeof Sort>

const Bound = Type.Optional(Type.String({ maxLength: MAX_TIMESTAMP }))

export const TasksQuery = Type.Object({
  ...limitOffset(500, 500),
  sort: Type.Optional(Sort),
  linked_object: Type.Optional(Type.String()),
  linked_record_id: Type.Optional(Uuid),
  assignee: Type.Optional(Type.String({ description: 'Id or email address of a member; empty or `null`: none.' })),
  is_completed: Type.Optional(Type.Boolean()),
  deadline_from: Bound,
  deadline_before: Bound,
})
export type TasksQuery = Static<typeof TasksQuery>
