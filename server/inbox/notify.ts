/**
 * Inserts notifications, in the transaction of the write that they are about, and queues the emails about them.
 * Decision 0082.
 */

import type { Transaction } from '../../db/connect'
import { controlQueriesIn } from '../data-model/kysely-in-transaction'
import { newId } from '../ids'
import { timestampFromMicros, type Micros } from '../timing/clock'
import { DIGEST_DELAY, DIGEST_INTERVAL } from './digest-times'

export type NotificationKind = 'mention' | 'reply' | 'task-assigned'

export interface NewNotification {
  readonly memberId: string
  readonly kind: NotificationKind
  readonly commentId: string | null
  readonly taskId: string | null
}

export interface NotificationOrigin {
  readonly workspaceId: string
  /** The number of the actor who caused the notifications. */
  readonly actor: number
  readonly at: Micros
}

export async function insertNotifications(
  tx: Transaction,
  { workspaceId, actor, at }: NotificationOrigin,
  notifications: readonly NewNotification[],
): Promise<void> {
  if (notifications.length === 0) return
  const created_at = timestampFromMicros(at)
  const rows = notifications.map(({ memberId, kind, commentId, taskId }) => ({
    workspace_id: workspaceId,
    member_id: memberId,
    id: newId(),
    kind,
    comment_id: commentId,
    task_id: taskId,
    actor,
    created_at,
  }))
  await controlQueriesIn(tx).insertInto('relata.notifications').values(rows).execute()
  const memberIds = rows.map(({ member_id }) => member_id)
  await queueDigests(tx, workspaceId, memberIds, created_at)
}

/** Rows are locked in the order of their members, so that two writes do not wait for each other. */
async function queueDigests(
  tx: Transaction,
  workspaceId: string,
  memberIds: readonly string[],
  at: string,
): Promise<void> {
  await tx`
    insert into relata.inboxes as i (workspace_id, member_id, due_at)
    select ${workspaceId}, member_id, ${at}::timestamptz + ${DIGEST_DELAY}::interval
    from unnest(${[...new Set(memberIds)].toSorted()}::uuid[]) as member_id
    on conflict (workspace_id, member_id) do update
    set due_at = coalesce(i.due_at, greatest(excluded.due_at, i.digested_at + ${DIGEST_INTERVAL}::interval))
    where i.sends_digest`
}
