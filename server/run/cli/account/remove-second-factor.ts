import { findAccountByEmail } from '#access/accounts/accounts'
import { auditAccount } from '#access/audit-log/audit'
import { deleteFactors, lockAccount } from '#access/second-factor/factors'
import { deletePendingSignIns } from '#access/second-factor/pending-sign-ins'
import { endSessions } from '#access/sessions/sessions'
import { CommandError, defineCommand } from '#run/cli/command'

/** For a person who lost the second factor and the recovery codes. Their password still works. */
export const accountRemoveSecondFactor = defineCommand({
  name: 'account remove-second-factor',
  summary: 'Removes the passkeys, the authenticator app and the recovery codes of a person, and signs them out.',
  positionals: ['<email>'],
  options: {},
  async run({ positionals: [email = ''] }, { db, now, print }) {
    const accountId = await findAccountByEmail(db, email)
    if (accountId === undefined) throw new CommandError(`There is no account with the address "${email}".`)
    await db.sql.begin(async (tx) => {
      await lockAccount(tx, accountId)
      await deleteFactors(tx, accountId)
      await deletePendingSignIns(tx, accountId)
      await endSessions(tx, { accountId, workspaceId: null })
      const details = { second_factor: 'all', removed_by: 'command-line' }
      const entry = { emailAddress: email, action: 'second-factor.removed', isOwner: false, address: null } as const
      await auditAccount(tx, { ...entry, details, now: now() })
    })
    print(`${email} has no second factor and is signed out.`)
    return 0
  },
})
