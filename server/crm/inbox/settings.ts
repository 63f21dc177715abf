/** Reads and writes the setting that turns digests on. See docs/reference/inbox.md (Email digests). */

import type { Sql } from '#db/connect'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'

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
