/** Signs in with a passkey in place of the password. See docs/reference/sign-in.md (Passkey in place of the password). */

import { auditAccount } from '#access/audit-log/audit'
import { findPasskeyOwner, type PasskeyOwner } from '#access/second-factor/passkeys'
import { acceptSignIn, createSignInOptions, relyingPartyOf } from '#access/second-factor/webauthn'
import { BY_PASSKEY, type Device } from '#access/sessions/sessions'
import { checkGuess } from '#access/throttle/guesses'
import { networkOf } from '#access/throttle/network'
import { fixedWindow } from '#access/throttle/rules'
import { claimAttempt } from '#access/throttle/throttle'
import { wrongPasskey } from '#base/errors/access'
import type { AppContext } from '#context'
import type { PasskeyAnswer } from '#api/console/second-factor/schemas'
import { withoutUndefined } from '#api/console/second-factor/verify'
import { limitsOf, limitsOfAddress } from './credentials'
import { startSession } from './start-session'

const BEGUN_PER_ADDRESS = fixedWindow(30, 60)

/** Throws 429. */
export async function createPasskeySignInOptions(
  { db, now, settings }: AppContext,
  address: string | null,
): Promise<object> {
  if (address !== null) await claimAttempt(db, `passkey from ${networkOf(address)}`, BEGUN_PER_ADDRESS, now())
  return createSignInOptions({ sql: db.sql, relyingParty: relyingPartyOf(settings) }, now())
}

/** Returns the token of a new session. Throws 401 and 429. The limits are those of second factors. */
export async function signInWithPasskey(
  appContext: AppContext,
  answer: PasskeyAnswer,
  device: Device,
): Promise<string> {
  const { db, now, settings } = appContext
  const owner = await findPasskeyOwner(db.sql, answer.id)
  const limits =
    owner === undefined ? limitsOfAddress(device.address) : limitsOf(device.address, `second factor ${owner.accountId}`)
  const { isRight } = await checkGuess(db, limits, now, async () => {
    if (owner === undefined) return { isRight: false }
    const account = { ...owner, sql: db.sql, relyingParty: relyingPartyOf(settings) }
    return { isRight: await acceptSignIn(account, withoutUndefined(answer), now()) }
  })
  if (isRight && owner !== undefined) return startSession(appContext, owner, BY_PASSKEY, device)
  if (owner !== undefined) await auditFailure(appContext, owner, device)
  throw wrongPasskey()
}

const auditFailure = (
  { db, now }: AppContext,
  { emailAddress }: PasskeyOwner,
  { address, userAgent: user_agent }: Device,
): Promise<void> => {
  const details = { user_agent, method: BY_PASSKEY.method }
  return auditAccount(db.sql, {
    emailAddress,
    action: 'sign-in.failed',
    isOwner: false,
    address,
    details,
    now: now(),
  })
}
