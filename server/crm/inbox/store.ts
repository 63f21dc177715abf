/** The rows of notifications, and a member's settings. See docs/reference/inbox.md (Notifications, Email digests). */
import { sql } from 'kysely'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { type CommentContent, parseContent } from '#crm/comments/content'
import { renderArray, type Sql, type Transaction } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

export type NotificationKind = 'mention' | 'reply' | 'task-assigned'

/** A member, with the lists that the member may see and the objects that the member may not. */
export interface InboxKey {
  readonly workspaceId: string
  readonly memberId: string
  readonly visibleLists: readonly string[]
  readonly hiddenObjects: readonly string[]
}

export type NotificationRow = CommentNotificationRow | TaskNotificationRow

interface NotificationColumns {
  readonly id: string
  readonly kind: NotificationKind
  /** The number of the actor who caused it. */
  readonly actor: number
  readonly created_at: string
  readonly read_at: string | null
}

export interface CommentNotificationRow extends NotificationColumns {
  readonly task_id: null
  readonly comment_id: string
  readonly content: CommentContent
  readonly thread_id: string
  readonly object_id: string
  readonly record_id: string
  readonly list_id: string | null
  readonly entry_id: string | null
  readonly resolved_at: string | null
}

export interface TaskNotificationRow extends NotificationColumns {
  readonly task_id: string
  readonly task_content: string
  readonly deadline_at: string | null
  readonly deadline_ns: number | null
  readonly is_completed: boolean
}

/** The member's notifications, without those about entries of lists and records of objects that the member may not see. */
function selectVisible(on: Sql | Transaction, { workspaceId, memberId, visibleLists, hiddenObjects }: InboxKey) {
  const lists = sql<string[]>`${renderArray(visibleLists)}::uuid[]`
  const objects = sql<string[]>`${renderArray(hiddenObjects)}::uuid[]`
  return controlQueriesIn(on)
    .selectFrom('relata.notifications as n')
    .leftJoin('relata.comments as c', (join) =>
      join.onRef('c.workspace_id', '=', 'n.workspace_id').onRef('c.id', '=', 'n.comment_id'),
    )
    .leftJoin('relata.threads as t', (join) =>
      join.onRef('t.workspace_id', '=', 'c.workspace_id').onRef('t.id', '=', 'c.thread_id'),
    )
    .leftJoin('relata.tasks as k', (join) =>
      join.onRef('k.workspace_id', '=', 'n.workspace_id').onRef('k.id', '=', 'n.task_id'),
    )
    .where(equal({ 'n.workspace_id': workspaceId, 'n.member_id': memberId }))
    .where(sql<boolean>`(t.list_id is null or t.list_id = any(${lists}))`)
    .where(sql<boolean>`(t.object_id is null or t.object_id <> all(${objects}))`)
}

const COLUMNS = [
  'n.id',
  'n.kind',
  'n.actor',
  'n.created_at',
  'n.read_at',
  'n.comment_id',
  'c.content',
  'c.thread_id',
  't.object_id',
  't.record_id',
  't.list_id',
  't.entry_id',
  't.resolved_at',
  'n.task_id',
  'k.content as task_content',
  'k.deadline_at',
  'k.deadline_ns',
  'k.is_completed',
] as const

interface InboxSlice {
  readonly limit: number
  /** The id of the last notification before the slice. */
  readonly before: string | undefined
  readonly unreadOnly: boolean
}

/** The newest first. */
export async function listNotificationRows(
  on: Sql,
  key: InboxKey,
  { limit, before, unreadOnly }: InboxSlice,
): Promise<NotificationRow[]> {
  const rows = await selectVisible(on, key)
    .select(COLUMNS)
    .$narrowType<StoredRow>()
    .$if(unreadOnly, (query) => query.where('n.read_at', 'is', null))
    .$if(before !== undefined, (query) => query.where('n.id', '<', before ?? ''))
    .orderBy('n.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map(parseRow)
}

/** The unread notifications with `is_digested` false, the oldest first. */
export async function listUndigestedRows(
  on: Sql | Transaction,
  key: InboxKey,
  limit: number,
): Promise<NotificationRow[]> {
  const rows = await selectVisible(on, key)
    .select(COLUMNS)
    .$narrowType<StoredRow>()
    .where('n.read_at', 'is', null)
    .where('n.is_digested', '=', false)
    .orderBy('n.id')
    .limit(limit)
    .execute()
  return rows.map(parseRow)
}

/** `countUnread` stops at this number. */
const MAX_UNREAD = 1000

export async function countUnread(on: Sql, key: InboxKey): Promise<number> {
  const unread = await selectVisible(on, key).select('n.id').where('n.read_at', 'is', null).limit(MAX_UNREAD).execute()
  return unread.length
}

/** Returns false when the member has no such notification, or may no longer see the list that it is about. */
export async function markRead(on: Sql, key: InboxKey, id: string, now: Micros): Promise<boolean> {
  const found = await selectVisible(on, key).select('n.id').where('n.id', '=', id).executeTakeFirst()
  if (found === undefined) return false
  await markWhere(on, key, now).where('id', '=', id).execute()
  return true
}

/** Marks the notifications up to the one with the id, or all. */
export async function markAllRead(on: Sql, key: InboxKey, upTo: string | undefined, now: Micros): Promise<void> {
  await markWhere(on, key, now)
    .$if(upTo !== undefined, (query) => query.where('id', '<=', upTo ?? ''))
    .execute()
}

const markWhere = (on: Sql, { workspaceId, memberId }: InboxKey, now: Micros) =>
  controlQueriesIn(on)
    .updateTable('relata.notifications')
    .set({ read_at: timestampFromMicros(now) })
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
    .where('read_at', 'is', null)

type CommentColumns = Omit<CommentNotificationRow, 'content'> & {
  /** JSON. */
  readonly content: string
}

/** The constraint of the table and its foreign keys make each row one of the two kinds. */
type StoredRow = CommentColumns | TaskNotificationRow

const parseRow = (row: StoredRow): NotificationRow =>
  row.task_id === null ? { ...row, content: parseContent(row.content) } : row

interface MemberKey {
  readonly workspaceId: string
  readonly memberId: string
}

/** Whether the member gets digests. Members who have not changed the setting get them. */
export async function sendsDigest(on: Sql, { workspaceId, memberId }: MemberKey): Promise<boolean> {
  const row = await controlQueriesIn(on)
    .selectFrom('relata.inboxes')
    .select('sends_digest')
    .where(equal({ workspace_id: workspaceId, member_id: memberId }))
    .executeTakeFirst()
  return row?.sends_digest ?? true
}

/** Also marks all unread notifications as digested, so that a digest begins with the next notification, and drops a due digest. */
export async function setSendsDigest(on: Sql, { workspaceId, memberId }: MemberKey, sends: boolean): Promise<void> {
  await on.begin(async (tx) => {
    const control = controlQueriesIn(tx)
    await control
      .insertInto('relata.inboxes')
      .values({ workspace_id: workspaceId, member_id: memberId, sends_digest: sends })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'member_id']).doUpdateSet({ sends_digest: sends, due_at: null, attempts: 0 }),
      )
      .execute()
    await control
      .updateTable('relata.notifications')
      .set({ is_digested: true })
      .where(equal({ workspace_id: workspaceId, member_id: memberId }))
      .where('read_at', 'is', null)
      .execute()
  })
}

/** The times of emails about notifications. See docs/reference/inbox.md (Email digests). */

/** How long a digest waits for further notifications, and for the member to read them at the console. */
export const DIGEST_DELAY = '5 minutes'

/** The shortest time between two digests of one member. */
export const DIGEST_INTERVAL = '15 minutes'
