import { findAccountByEmail } from '#access/accounts/accounts'
import { createPasswordReset } from '#access/accounts/passwords'
import { resetUrl } from '#crm/email/account-emails'
import { CommandError, defineCommand } from '#run/cli/command'

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
    return 0
  },
})
