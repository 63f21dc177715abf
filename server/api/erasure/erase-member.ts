/** Erases a suspended member: the row stays, because it has written records, and has neither name nor address. */

import { sql } from 'kysely'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Database } from '#db/connect'
import { changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import type { DataModel, Member } from '#engine/data-model/model'
import type { TextPattern } from '#engine/storage/texts/text-tables'
import { removeAccountsOf } from '#transfer/connected-accounts/store'
import { ERASED_NAME } from './shared-entities'
import { allowAuditChange, storeErasure, type StoredErasure } from './stored-erasures'

/** The member who has one of the addresses. */
export const findMemberToErase = (model: DataModel, addresses: readonly string[]): Member | undefined =>
  addresses.map((address) => model.membersByEmail.get(address)).find((member) => member !== undefined)

/** The address that the member signs in with, unless it is the member's own or that of another member. */
export async function findAccountAddress({ control }: Database, model: DataModel, { id }: Member): Promise<string[]> {
  const rows = await control
    .selectFrom('relata.workspace_members as m')
    .innerJoin('relata.accounts as a', 'a.id', 'm.account_id')
    .select('a.email_address')
    .where('m.workspace_id', '=', model.workspace.id)
    .where('m.id', '=', id)
    .execute()
  return rows.map(({ email_address }) => email_address).filter((address) => !model.membersByEmail.has(address))
}

interface MemberErasure {
  readonly workspaceId: string
  readonly memberId: string
  readonly stored: StoredErasure
  readonly pattern: TextPattern
  readonly now: Micros
}

/** Also removes what the member connected, and deletes the account, with its sessions and sign-in methods, unless it is a member of another workspace. */
export async function eraseMember(db: Database, erasure: MemberErasure): Promise<void> {
  const { workspaceId, memberId, stored, now } = erasure
  await changeWorkspaceModel(db, workspaceId, async ({ tx, control, model }) => {
    const member = model.membersById.get(memberId)
    if (member === undefined || member.access_level !== 'suspended') return
    const { account_id } = await control
      .selectFrom('relata.workspace_members')
      .select('account_id')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', member.id)
      .executeTakeFirstOrThrow()
    await control
      .updateTable('relata.workspace_members')
      .set({
        first_name: ERASED_NAME.first_name,
        last_name: ERASED_NAME.last_name,
        email_address: `erased-${member.id}@erased.invalid`,
        account_id: null,
        avatar_url: null,
        external_id: null,
        updated_at: timestampFromMicros(now),
        user_deleted_at: timestampFromMicros(now),
      })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', member.id)
      .execute()
    await removeAccountsOf(tx, { workspaceId, memberId: member.id }, now)
    if (account_id === null) return
    await storeErasure(tx, stored)
    await allowAuditChange(tx, stored.id)
    await deleteAccountWithoutMembership(control, account_id, erasure)
  })
}

async function deleteAccountWithoutMembership(
  control: ModelChange['control'],
  id: string,
  { pattern: { expression } }: MemberErasure,
): Promise<void> {
  const other = await control
    .selectFrom('relata.workspace_members')
    .select('id')
    .where('account_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (other !== undefined) return
  await control
    .updateTable('relata.audit_log')
    .set({ subject_name: sql<string>`regexp_replace(subject_name, ${expression}, ${ERASED_NAME.full_name}, 'gi')` })
    .where('account_id', '=', id)
    .where('workspace_id', 'is', null)
    .where('subject_name', 'is not', null)
    .execute()
  await control.deleteFrom('relata.accounts').where('id', '=', id).execute()
}
