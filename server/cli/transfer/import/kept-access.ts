/**
 * The members and API keys of the workspace that an import fills. They are set aside in temporary tables, because their ids and
 * numbers may be those of imported rows, and come back afterwards. A member with the address of an imported one becomes this one.
 */

import type { Transaction } from '../../../../db/connect'

export async function setAccessAside(tx: Transaction, workspaceId: string): Promise<void> {
  for (const table of ['actors', 'workspace_members', 'tokens']) {
    const kept = `create temporary table "kept_${table}" on commit drop as select * from relata."${table}" where workspace_id = $1::uuid`
    await tx.unsafe(kept.replace('$1', `'${workspaceId}'`)) // an id of the database; the command takes no parameter
  }
  await tx`delete from relata.member_pictures where workspace_id = ${workspaceId}`
  await tx`delete from relata.tokens where workspace_id = ${workspaceId}`
  await tx`delete from relata.workspace_members where workspace_id = ${workspaceId}`
  await tx`delete from relata.actors where workspace_id = ${workspaceId}`
}

/** The numbers of kept actors begin above `above`. */
export async function bringAccessBack(tx: Transaction, workspaceId: string, above: number): Promise<void> {
  await matchMembers(tx, workspaceId)
  await tx`
    insert into relata.workspace_members
    select k.* from kept_workspace_members k join kept_matches using (id) where kept_matches.member_id = k.id
    on conflict do nothing`
  await keepAdmins(tx, workspaceId)
  await tx`
    insert into relata.actors (workspace_id, number, type, id)
    select k.workspace_id, k.number + ${above}::int, k.type, k.id from kept_actors k
    left join kept_matches m on k.type = 'workspace-member' and m.id = k.id
    where m.member_id is null or m.member_id = m.id
    on conflict do nothing`
  await tx`
    update kept_tokens k set authorized_by_workspace_member_id = m.member_id, actor = a.number
    from kept_matches m, kept_actors o, relata.actors a
    where m.id = k.authorized_by_workspace_member_id and o.number = k.actor
      and a.workspace_id = ${workspaceId} and a.type = o.type and a.id = o.id`
  await tx`insert into relata.tokens select * from kept_tokens on conflict do nothing`
}

/** `member_id` is the imported member with the same address or id, or the kept member itself. */
async function matchMembers(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`create temporary table kept_matches (id uuid primary key, member_id uuid not null) on commit drop`
  await tx`
    insert into kept_matches
    select k.id, coalesce(m.id, k.id) from kept_workspace_members k
    left join lateral (
      select m.id from relata.workspace_members m
      where m.workspace_id = ${workspaceId} and (lower(m.email_address) = lower(k.email_address) or m.id = k.id
        or m.account_id = k.account_id)
      order by m.account_id = k.account_id desc nulls last, lower(m.email_address) = lower(k.email_address) desc limit 1
    ) m on true`
}

/** Who administers the workspace before the import does so afterwards, with the same account. */
async function keepAdmins(tx: Transaction, workspaceId: string): Promise<void> {
  await tx`
    update relata.workspace_members m set access_level = 'admin', account_id = coalesce(m.account_id, k.account_id)
    from kept_workspace_members k join kept_matches on kept_matches.id = k.id
    where m.workspace_id = ${workspaceId} and m.id = kept_matches.member_id and k.access_level = 'admin'`
}
