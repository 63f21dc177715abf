/**
 * How many members of a workspace may be active: the setting RELATA_MEMBER_QUOTA. Each member who is not suspended has a seat.
 * See docs/reference/access-and-oauth.md (Seats).
 */

import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import type { Transaction } from '#db/connect'
import { noFreeSeat } from '#base/errors/access'
import { lockMembers } from './members'

/** Runs in the transaction in which a member became active or got an account. Throws 403 when more are active than may be. */
export async function requireSeat(tx: Transaction, workspaceId: string, quota: number): Promise<void> {
  if ((await countSeats(tx, workspaceId, quota)) > quota) throw noFreeSeat(quota)
}

/** An invitation has no seat, so several may be sent for the last one. Throws 403 when there is no seat for another member. */
export async function requireFreeSeat(tx: Transaction, workspaceId: string, quota: number): Promise<void> {
  if ((await countSeats(tx, workspaceId, quota)) >= quota) throw noFreeSeat(quota)
}

/** The lock orders concurrent changes, so that two of them do not get the last seat. */
async function countSeats(tx: Transaction, workspaceId: string, quota: number): Promise<number> {
  if (quota === Number.POSITIVE_INFINITY) return 0
  await lockMembers(tx, workspaceId)
  const { count } = await controlQueriesIn(tx)
    .selectFrom('relata.workspace_members')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('access_level', '<>', 'suspended')
    .executeTakeFirstOrThrow()
  return Number(count)
}
