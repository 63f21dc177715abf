/** Commands for accounts whose owners cannot sign in. */

import { findAccountByEmail } from '#access/accounts/accounts'
import { createPasswordReset } from '#access/accounts/passwords'
import { resetUrl } from '#crm/email/account-emails'
import { CommandError, defineCommand } from './command'
import { auditAccount } from '#access/audit-log/audit'
import { deleteFactors, lockAccount } from '#access/second-factor/factors'
import { deletePendingSignIns } from '#access/second-factor/pending-sign-ins'
import { endSessions } from '#access/sessions/sessions'

/** For people without working email. Prints the link alone on the last line. */
export const accountResetPassword = defineCommand({
  name: 'account reset-password',
  summary: 'Shows a link with which a person sets a new password, once and within an hour.',
  positionals: ['<email>'],
  options: {},
  async run({ positionals: [email = ''] }, { db, now, baseUrl, print }) {
    const accountId = await findAccountByEmail(db, email)
    if (accountId === undefined) throw new CommandError(`There is no account with the address "${email}".`)
    const token = await createPasswordReset(db.sql, accountId, now())
    print(`Send this link to ${email}:`)
    print(resetUrl({ appUrl: baseUrl }, token))
  },
})

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
  },
})
