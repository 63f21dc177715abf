/** The mailboxes of members. */

import type { Database } from '#db/connect'
import type { Member } from '#engine/data-model/model'
import { newId } from '#base/ids'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

export interface Mailbox {
  readonly id: string
  readonly workspaceId: string
  /** The number of the actor of its member. */
  readonly owner: number
}

/** The member's mailbox, which the first import creates. */
export async function openMailbox(db: Database, workspaceId: string, member: Member, now: Micros): Promise<Mailbox> {
  const created = { workspace_id: workspaceId, id: newId(), member_id: member.id, created_at: timestampFromMicros(now) }
  await db.control
    .insertInto('relata.mailboxes')
    .values(created)
    .onConflict((conflict) => conflict.columns(['workspace_id', 'member_id']).doNothing())
    .execute()
  const { id } = await db.control
    .selectFrom('relata.mailboxes')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('member_id', '=', member.id)
    .executeTakeFirstOrThrow()
  return { id, workspaceId, owner: member.actor }
}
