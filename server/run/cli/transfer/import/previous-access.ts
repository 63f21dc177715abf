/**
 * The members and API keys of the workspace that an import fills. They are set aside in temporary tables, because their ids and
 * numbers may be those of imported rows, and come back afterwards. A member with the address of an imported one becomes this one.
 */

import type { Transaction } from '#db/connect'
import { PICTURES_PATH } from '#access/members/pictures'

export async function saveAccess(tx: Transaction, workspaceId: string): Promise<void> {
  for (const table of ['actors', 'workspace_members', 'tokens']) {
    const command = `create temporary table "previous_${table}" on commit drop as select * from relata."${table}" where workspace_id = $1::uuid`
    await tx.unsafe(command.replace('$1', `'${workspaceId}'`)) // an id of the database; the command takes no parameter
  }
  await tx`update previous_workspace_members set avatar_url = null where avatar_url like ${`${PICTURES_PATH}/%`}`
  await tx`delete from relata.member_pictures where workspace_id = ${workspaceId}`
  await tx`delete from relata.tokens where workspace_id = ${workspaceId}`
  await tx`delete from relata.workspace_members where workspace_id = ${workspaceId}`
  await tx`delete from relata.actors where workspace_id = ${workspaceId}`
}

/** The numbers of previous actors begin above `above`. */
export async function restoreAccess(tx: Transaction, workspaceId: string, above: number): Promise<void> {
  await matchMembers(tx, workspaceId)
  await tx`
    insert into relata.workspace_members
    select p.* from previous_workspace_members p join previous_matches using (id) where previous_matches.member_id = p.id
    on conflict do nothing`
  await keepAdmins(tx, workspaceId)
  await tx`
    insert into relata.actors (workspace_id, number, type, id)
    select p.workspace_id, p.number + ${above}::int, p.type, p.id from previous_actors p
    left join previous_matches m on p.type = 'workspace-member' and m.id = p.id
    where m.member_id is null or m.member_id = m.id
    on conflict do nothing`
  await tx`
    update previous_tokens p set authorized_by_workspace_member_id = m.member_id, actor = a.number
    from previous_matches m, previous_actors o, relata.actors a
    where m.id = p.authorized_by_workspace_member_id and o.number = p.actor
      and a.workspace_id = ${workspaceId} and a.type = o.type and a.id = o.id`
  await tx`insert into relata.tokens select * from previous_tokens on conflict do nothing`
}

/** `member_id` is the imported member with the same address or id, or the previous member itself. */
async function matchMembers(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`create temporary table previous_matches (id uuid primary key, member_id uuid not null) on commit drop`
  await tx`
    insert into previous_matches
    select p.id, coalesce(m.id, p.id) from previous_workspace_members p
    left join lateral (
      select m.id from relata.workspace_members m
      where m.workspace_id = ${workspaceId} and (lower(m.email_address) = lower(p.email_address) or m.id = p.id
        or m.account_id = p.account_id)
      order by m.account_id = p.account_id desc nulls last, lower(m.email_address) = lower(p.email_address) desc limit 1
    ) m on true`
}

/** Who administers the workspace before the import does so afterwards, with the same account. */
async function keepAdmins(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`
    update relata.workspace_members m set access_level = 'admin', account_id = coalesce(m.account_id, p.account_id)
    from previous_workspace_members p join previous_matches on previous_matches.id = p.id
    where m.workspace_id = ${workspaceId} and m.id = previous_matches.member_id and p.access_level = 'admin'`
}
