/** Erases a suspended member: the row stays, because it has written records, and has neither name nor address. */

import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { sql } from 'kysely'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import type { Database, Transaction } from '#db/connect'
import { changeWorkspaceModel, type ModelChange } from '#engine/data-model/change-model'
import type { DataModel, Member } from '#engine/data-model/model'
import { ERASED_NAME } from './shared-entities'

/** The member who has one of the addresses. */
export const findMemberToErase = (model: DataModel, addresses: readonly string[]): Member | undefined =>
  addresses.map((address) => model.membersByEmail.get(address)).find((member) => member !== undefined)

interface MemberErasure {
  readonly workspaceId: string
  readonly address: string
  readonly now: Micros
}

/** Also deletes the account, with its sessions and sign-in methods, unless it is a member of another workspace. */
export async function eraseMember(db: Database, { workspaceId, address, now }: MemberErasure): Promise<void> {
  await changeWorkspaceModel(db, workspaceId, async ({ tx, control, model }) => {
    const member = model.membersByEmail.get(address)
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
    if (account_id === null) return
    await allowAuditChange(tx)
    await deleteAccountWithoutMembership(control, account_id)
  })
}

async function deleteAccountWithoutMembership(control: ModelChange['control'], id: string): Promise<void> {
  const other = await control
    .selectFrom('relata.workspace_members')
    .select('id')
    .where('account_id', '=', id)
    .limit(1)
    .executeTakeFirst()
  if (other !== undefined) return
  await control
    .updateTable('relata.audit_log')
    .set({ subject_name: ERASED_NAME.full_name })
    .where('account_id', '=', id)
    .execute()
  await control.deleteFrom('relata.accounts').where('id', '=', id).execute()
}

/** Until the transaction ends, the trigger of the audit log accepts changes. */
export async function allowAuditChange(tx: Transaction): Promise<void> {
  await controlQueriesIn(tx)
    .selectNoFrom(sql`set_config('relata.erases_person', 'on', true)`.as('set'))
    .execute()
}
