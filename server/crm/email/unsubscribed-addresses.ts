/** The addresses that get no email of members. See docs/reference/emails.md (Unsubscribed addresses). */

import { sql } from 'kysely'
import { type Database, renderArray, type Sql } from '#db/connect'
import { anyOf, controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

/** Addresses that were added before keep their time. */
export async function addUnsubscribed(
  { control }: Pick<Database, 'control'>,
  workspaceId: string,
  addresses: readonly string[],
  now: Micros,
): Promise<void> {
  // The addresses are sorted, so that two writers of the same addresses wait for each other in the same order.
  await sql`
    insert into relata.unsubscribed_emails (workspace_id, email_address, created_at)
    select ${workspaceId}::uuid, address, ${timestampFromMicros(now)}::timestamptz
    from unnest(${renderArray(addresses.toSorted())}::text[]) as a(address)
    on conflict (workspace_id, email_address) do nothing`.execute(control)
}

/** The unsubscribed ones among the addresses, with the time when they were first added. */
export const findUnsubscribed = (
  on: Sql,
  workspaceId: string,
  addresses: readonly string[],
): Promise<{ email_address: string; created_at: string }[]> =>
  controlQueriesIn(on)
    .selectFrom('relata.unsubscribed_emails')
    .select(['email_address', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('email_address', '=', anyOf(addresses, 'text'))
    .orderBy('email_address')
    .execute()
