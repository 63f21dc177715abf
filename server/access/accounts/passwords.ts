/** The rules of passwords, and their hashes. A password needs a minimum length and must not be a common one. */

import type { ValidationIssue } from '#base/errors/api-error'
import type { Sql, Transaction } from '#db/connect'
import { controlQueriesIn } from '#engine/data-model/kysely-in-transaction'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { hashColumn, newSecret } from '#access/secrets'

const MIN_PASSWORD = 10
/** The time of hashing grows with the length. */
const MAX_PASSWORD = 1000

/** Returns why a password is refused, in words that follow "The password", or undefined when it is accepted. */
export function passwordProblem(password: string, emailAddress: string): string | undefined {
  const length = [...password].length
  if (length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`
  if (length > MAX_PASSWORD) return `must have at most ${MAX_PASSWORD} characters`
  const lower = password.toLowerCase()
  const [name = ''] = emailAddress.toLowerCase().split('@')
  if (COMMON_PASSWORDS.has(lower) || new Set(lower).size < 3) return 'is too common. Choose another'
  if (lower === emailAddress.toLowerCase() || lower === name.repeat(Math.ceil(lower.length / name.length || 1))) {
    return 'must not be the email address'
  }
  return undefined
}

/** Returns the problem of a password as an issue of a member of a request. */
export function passwordIssues(password: string, emailAddress: string, member: string): ValidationIssue[] {
  const problem = passwordProblem(password, emailAddress)
  return problem === undefined ? [] : [{ code: 'invalid', path: [member], message: `The password ${problem}.` }]
}

export const hashPassword = (password: string): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id' })

/** The most common passwords, in lower case. The list has no shorter ones, because the minimum length refuses them. */

const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `0123456789 1234567890 12345678910 123456789a 123456789q 1234567891 1111111111 0000000000 9876543210 0987654321
  1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx3edc qwertyuiop qwertyuiop1 qwerty1234 qwerty12345 qwerty123456 q1w2e3r4t5y6
  asdfghjkl1 asdfghjkl; zxcvbnm123 password12 password123 password1234 password12345 password123! password123456
  passw0rd123 p@ssw0rd123 p@ssword123 p@ssw0rd1234 mypassword mypassword1 newpassword passwordpassword secretpassword
  iloveyou12 iloveyou123 iloveyou1234 welcome123 welcome1234 welcome12345 administrator admin12345 admin123456
  administrator1 letmein123 letmein1234 changeme123 changeme1234 superadmin abc1234567 abcdefghij abcd123456 a123456789
  abcdefg123 test123456 testtest123 qazwsxedcrfv football123 baseball123 basketball superman123 princess123
  sunshine123 monkey12345 dragon12345 master12345 michael123 1234512345 5555555555 6666666666 7777777777 8888888888
  9999999999 2222222222 3333333333 1122334455 1029384756 147258369a 1234qwerasdf qwer1234asdf q1w2e3r4t5 1qazxsw23edc
  !qaz2wsx3edc iloveyouforever starwars123 computer123 internet123 trustno1234 whatever123 relata1234 relata12345
  correcthorsebatterystaple`.split(/\s+/),
)

/** Links to set a new password. A link works once, within an hour. */
const RESET_MINUTES = 60

/** Returns the secret of a new link. Older links of the account remain valid until one of them is used. */
export async function createPasswordReset(sql: Sql | Transaction, accountId: string, now: Micros): Promise<string> {
  const token = newSecret()
  const control = controlQueriesIn(sql)
  const created_at = timestampFromMicros(now)
  const expires_at = timestampFromMicros(now + RESET_MINUTES * 60_000_000)
  await control.deleteFrom('relata.password_resets').where('expires_at', '<=', created_at).execute()
  await control
    .insertInto('relata.password_resets')
    .values({ token_hash: hashColumn(token), account_id: accountId, created_at, expires_at })
    .execute()
  return token
}

/** Returns the account of a valid link, and locks the link until the transaction ends. */
export async function findPasswordReset(
  tx: Transaction,
  token: string,
  now: Micros,
): Promise<{ accountId: string; emailAddress: string } | undefined> {
  return controlQueriesIn(tx)
    .selectFrom('relata.password_resets as r')
    .innerJoin('relata.accounts as a', 'a.id', 'r.account_id')
    .select(['r.account_id as accountId', 'a.email_address as emailAddress'])
    .where('r.token_hash', '=', hashColumn(token))
    .where('r.expires_at', '>', timestampFromMicros(now))
    .forUpdate('r')
    .executeTakeFirst()
}

/** Invalidates all links of an account. */
export async function endPasswordResets(sql: Sql | Transaction, accountId: string): Promise<void> {
  await controlQueriesIn(sql).deleteFrom('relata.password_resets').where('account_id', '=', accountId).execute()
}
