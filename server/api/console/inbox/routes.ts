/** A member's own inbox. See docs/reference/inbox.md (Requests of the console). */

import { Elysia } from 'elysia'
import { listRefusedAccounts } from '#transfer/connected-accounts/store'
import { type ConsoleContext, getMemberModel } from '#api/console/console-context'
import { InboxPage, InboxQuery, InboxSettingsAnswer, InboxSettingsBody, ReadAllBody, UnreadAnswer } from './schemas'
import { readBackupState } from '#access/installation/backup-schedule'
import type { AppContext } from '#context'
import { modelOfMember } from '#engine/data-model/access/member-model'
import { type DataModel, ModelVersionConflict, SYSTEM_ACTOR } from '#engine/data-model/model'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { notificationNotFound } from '#base/errors/meetings'
import { invalidQuery } from '#base/errors/http'
import { isUuid } from '#vocabulary/uuids'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { inboxKeyOf } from '#crm/inbox/notify'
import {
  type CommentNotificationRow,
  countUnread,
  type InboxKey,
  listNotificationRows,
  markAllRead,
  markRead,
  type NotificationRow,
  sendsDigest,
  setSendsDigest,
  type TaskNotificationRow,
} from '#crm/inbox/store'
import { type DayRange, localDayOf } from '#base/timing/time-zones'
import { getActor } from '#engine/attribute-types/actor-reference'
import { renderMentions } from '#crm/comments/content'
import { excerpt } from '#base/text/csv-line'
import { timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import type { Sql } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

const INBOX = '/console/api/workspaces/:workspace_id/inbox'

export const inboxRoutes = ({ guard, appContext }: ConsoleContext) =>
  new Elysia({ name: 'console-inbox' })
    .get(
      ...guard.member(INBOX, { response: InboxPage, query: InboxQuery }, ({ member, query }) =>
        readInbox(appContext, member, query),
      ),
    )
    .post(
      ...guard.member(
        `${INBOX}/read`,
        { response: UnreadAnswer, body: ReadAllBody, bodyOptional: true },
        ({ member, body }) => readAll(appContext, member, body),
      ),
    )
    .post(
      ...guard.member(`${INBOX}/:notification_id/read`, { response: UnreadAnswer }, ({ member, params }) =>
        readOne(appContext, member, params.notification_id),
      ),
    )
    .get(
      ...guard.member(`${INBOX}/settings`, { response: InboxSettingsAnswer }, ({ member }) =>
        getInboxSettings(appContext, member),
      ),
    )
    .patch(
      ...guard.member(
        `${INBOX}/settings`,
        { response: InboxSettingsAnswer, body: InboxSettingsBody },
        ({ member, body }) => updateInboxSettings(appContext, member, body),
      ),
    )

const MAX_DUE_TASKS = 100

/** A page of notifications, the newest first, with the number of unread ones and the tasks that are due today. */
const readInbox = (appContext: AppContext, member: ConsoleMember, query: InboxQuery): Promise<object> =>
  withModel(appContext, member, async (model) => {
    const { sql } = appContext.db
    const { limit = 30, cursor, unread = false, time_zone = 'UTC' } = query
    const today = dayIn(time_zone, appContext)
    const key = keyOf(model, member)
    const slice = { limit: limit + 1, before: cursor?.toLowerCase(), unreadOnly: unread }
    const [rows, unread_count, dueTasks, overdue_backup, accounts_to_sign_in] = await Promise.all([
      listNotificationRows(sql, key, slice),
      countUnread(sql, key),
      listTasksDueOn(sql, member, today, MAX_DUE_TASKS),
      findOverdueBackup(appContext, member),
      listRefusedAccounts(sql, member),
    ])
    const page = rows.slice(0, limit)
    return {
      data: page.map((row) => renderNotification(model, row)),
      unread_count,
      tasks_due_today: dueTasks.map(renderDueTask),
      overdue_backup,
      accounts_to_sign_in,
      pagination: { next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null },
    }
  })

/** Admins of any workspace see it, because it is about the whole installation. */
async function findOverdueBackup(
  { db, now, settings: { backups } }: AppContext,
  { accessLevel }: ConsoleMember,
): Promise<InboxPage['overdue_backup']> {
  if (backups === undefined || accessLevel !== 'admin') return null
  const state = await readBackupState(db.sql, backups, now())
  if (state === undefined || !state.isOverdue) return null
  return {
    since: timestampFromMicros(state.since),
    last_succeeded_at: state.last === undefined ? null : timestampFromMicros(state.last.at),
  }
}

/** Throws 404 for a notification that the member does not have, or may no longer read. */
const readOne = (appContext: AppContext, member: ConsoleMember, id: string): Promise<object> =>
  withModel(appContext, member, async (model) => {
    const key = keyOf(model, member)
    const isFound = isUuid(id) && (await markRead(appContext.db.sql, key, id.toLowerCase(), appContext.now()))
    if (!isFound) throw notificationNotFound(id)
    return { data: { unread_count: await countUnread(appContext.db.sql, key) } }
  })

/** Without `up_to`, marks all as read. */
const readAll = (appContext: AppContext, member: ConsoleMember, { up_to }: ReadAllBody): Promise<object> =>
  withModel(appContext, member, async (model) => {
    const key = keyOf(model, member)
    await markAllRead(appContext.db.sql, key, up_to?.toLowerCase(), appContext.now())
    return { data: { unread_count: await countUnread(appContext.db.sql, key) } }
  })

/** `is_email_delivered` is false when the service has no mail server, so that no digest is sent. */
const getInboxSettings = async ({ db, mail }: AppContext, member: ConsoleMember): Promise<object> => ({
  data: { email_digest: await sendsDigest(db.sql, member), is_email_delivered: mail.isDelivered },
})

async function updateInboxSettings(
  appContext: AppContext,
  member: ConsoleMember,
  { email_digest }: InboxSettingsBody,
): Promise<object> {
  await withModel(appContext, member, () => setSendsDigest(appContext.db.sql, member, email_digest))
  return getInboxSettings(appContext, member)
}

function dayIn(timeZone: string, { now }: AppContext): DayRange {
  const day = localDayOf(timeZone, now())
  if (day !== undefined) return day
  throw invalidQuery([{ code: 'invalid', path: ['time_zone'], message: 'Expected the name of a time zone' }])
}

/** Throws `ModelVersionConflict` for a member that the model lacks. */
function keyOf(model: DataModel, { memberId }: ConsoleMember): InboxKey {
  const member = model.membersById.get(memberId)
  if (member === undefined) throw new ModelVersionConflict(`Member ${memberId} is not in the data model.`)
  return inboxKeyOf(model, member)
}

/** Retries when the cached data model lacks something, and after a deadlock with the deletion of a thread or a task. */
async function withModel<T>(
  appContext: AppContext,
  member: ConsoleMember,
  run: (model: DataModel) => Promise<T>,
): Promise<T> {
  const { db, models } = appContext
  const reloadModel = async () => modelOfMember(await models.reload(member.workspaceId), member.memberId)
  const context = { db, model: await getMemberModel(appContext, member), reloadModel, actor: SYSTEM_ACTOR }
  return retryOnConflict(context, ({ model }) => run(model))
}

/** Notifications as the console shows them. See docs/reference/inbox.md (Notifications). */
interface NotificationOutput {
  readonly id: string
  readonly kind: NotificationRow['kind']
  readonly actor: { readonly type: string; readonly id: string | null }
  readonly created_at: string
  readonly read_at: string | null
  readonly comment: object | null
  readonly task: object | null
}

/** Throws `ModelVersionConflict` for an actor or a mentioned member that the model lacks. */
const renderNotification = (model: DataModel, row: NotificationRow): NotificationOutput => ({
  id: row.id,
  kind: row.kind,
  actor: getActor(model, row.actor),
  created_at: timestampFromPostgres(row.created_at),
  read_at: timestampOrNull(row.read_at),
  comment: row.task_id === null ? renderComment(row, renderMentions(model, row.content)) : null,
  task: row.task_id === null ? null : renderTask(row),
})

const renderComment = (row: CommentNotificationRow, text: string) => ({
  comment_id: row.comment_id,
  thread_id: row.thread_id,
  excerpt: excerpt(text),
  record: { object_id: row.object_id, record_id: row.record_id },
  entry: row.entry_id === null ? null : { list_id: row.list_id, entry_id: row.entry_id },
  resolved_at: timestampOrNull(row.resolved_at),
})

const renderTask = ({ task_id, task_content, deadline_at, deadline_ns, is_completed }: TaskNotificationRow) => ({
  task_id,
  excerpt: excerpt(task_content),
  deadline_at: deadline_at === null ? null : timestampFromPostgres(deadline_at, deadline_ns),
  is_completed,
})

const renderDueTask = ({ id, content, deadline_at, deadline_ns }: DueTask) => ({
  task_id: id,
  excerpt: excerpt(content),
  deadline_at: timestampFromPostgres(deadline_at, deadline_ns),
  is_completed: false,
})

// The tasks of a member that are due today, computed when the inbox is read. See docs/reference/inbox.md (Tasks due today).

interface DueTask {
  readonly id: string
  readonly content: string
  readonly deadline_at: string
  readonly deadline_ns: number | null
}

interface Assignee {
  readonly workspaceId: string
  /** The number of the member's actor. */
  readonly actor: number
}

/** Open tasks, by deadline. */
async function listTasksDueOn(
  on: Sql,
  { workspaceId, actor }: Assignee,
  { from, until }: DayRange,
  limit: number,
): Promise<DueTask[]> {
  const rows = await controlQueriesIn(on)
    .selectFrom('relata.task_assignees as a')
    .innerJoin('relata.tasks as k', (join) =>
      join.onRef('k.workspace_id', '=', 'a.workspace_id').onRef('k.id', '=', 'a.task_id'),
    )
    .select(['k.id', 'k.content', 'a.deadline_at', 'k.deadline_ns'])
    .where(equal({ 'a.workspace_id': workspaceId, 'a.assignee': actor, 'a.is_completed': false }))
    .where('a.deadline_at', '>=', timestampFromMicros(from))
    .where('a.deadline_at', '<', timestampFromMicros(until))
    .orderBy('a.deadline_at')
    .orderBy('a.created_at')
    .orderBy('a.task_id')
    .limit(limit)
    .$narrowType<{ deadline_at: string }>()
    .execute()
  return rows
}
