/** The queries and bodies of the inbox. See docs/reference/inbox.md (Requests of the console). */

import { type Static, Type } from 'typebox'
import { answerOf, nullable, Pagination, Timestamp } from '#api/console/schemas'

const Uuid = Type.String({ format: 'uuid' })

export const InboxQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  cursor: Type.Optional(Uuid),
  unread: Type.Optional(Type.Boolean({ default: false })),
  time_zone: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
})
export type InboxQuery = Static<typeof InboxQuery>

export const ReadAllBody = Type.Object({ up_to: Type.Optional(Uuid) })
export type ReadAllBody = Static<typeof ReadAllBody>

export const InboxSettingsBody = Type.Object({ email_digest: Type.Boolean() })
export type InboxSettingsBody = Static<typeof InboxSettingsBody>

const InboxTask = Type.Object({
  task_id: Type.String(),
  excerpt: Type.String(),
  deadline_at: nullable(Timestamp),
  is_completed: Type.Boolean(),
})
export type InboxTask = Static<typeof InboxTask>

const InboxComment = Type.Object({
  comment_id: Type.String(),
  thread_id: Type.String(),
  excerpt: Type.String(),
  record: Type.Object({ object_id: Type.String(), record_id: Type.String() }),
  entry: nullable(Type.Object({ list_id: Type.String(), entry_id: Type.String() })),
  resolved_at: nullable(Timestamp),
})

const notification = {
  id: Type.String(),
  actor: Type.Object({ type: Type.String(), id: nullable(Type.String()) }),
  created_at: Timestamp,
  read_at: nullable(Timestamp),
}

const Notification = Type.Union([
  Type.Object({ ...notification, kind: Type.Enum(['mention', 'reply']), comment: InboxComment, task: Type.Null() }),
  Type.Object({ ...notification, kind: Type.Literal('task-assigned'), comment: Type.Null(), task: InboxTask }),
])
export type Notification = Static<typeof Notification>

/** None has succeeded for twice the time between two scheduled ones. */
const OverdueBackup = Type.Object({
  /** Since when they are scheduled. */
  since: Timestamp,
  last_succeeded_at: nullable(Timestamp),
})

export const InboxPage = Type.Object({
  data: Type.Array(Notification),
  /** At most 1,000. */
  unread_count: Type.Integer(),
  tasks_due_today: Type.Array(InboxTask),
  /** For admins, while backups of the service are missing. */
  overdue_backup: nullable(OverdueBackup),
  /** The connected accounts of the member whose server refuses the password. */
  accounts_to_sign_in: Type.Array(Type.Object({ id: Type.String(), email_address: Type.String() })),
  pagination: Pagination,
})
export type InboxPage = Static<typeof InboxPage>

export const UnreadAnswer = answerOf(Type.Object({ unread_count: Type.Integer() }))
export type UnreadAnswer = Static<typeof UnreadAnswer>

const InboxSettings = Type.Object({
  email_digest: Type.Boolean(),
  /** Whether the service has a mail server. */
  is_email_delivered: Type.Boolean(),
})
export type InboxSettings = Static<typeof InboxSettings>

export const InboxSettingsAnswer = answerOf(InboxSettings)
