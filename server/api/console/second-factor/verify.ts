/** Checks second factors and passwords of accounts. Guesses are limited per network and per account. See docs/decisions/sign-in.md. */

import { auditAccount } from '#access/audit-log/audit'
import { useRecoveryCode } from '#access/second-factor/factors'
import { acceptTotp } from '#access/second-factor/totp'
import { acceptPasskey, relyingPartyOf } from '#access/second-factor/webauthn'
import { type Device, setProven } from '#access/sessions/sessions'
import { checkGuess } from '#access/throttle/guesses'
import { proofRequired, wrongProof, wrongSecondFactor } from '#base/errors/access'
import { ApiError } from '#base/errors/api-error'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { limitsOf, verifyCredentials } from '#api/console/session/credentials'
import type { AuthenticatedAccount } from '#api/console/session/session'
import type { Proof, SecondFactorProof } from './schemas'

/** Throws 401 for a wrong proof, and 429. A code or the answer of a passkey is accepted once. */
export async function verifySecondFactor(
  appContext: AppContext,
  account: AuthenticatedAccount,
  proof: SecondFactorProof,
  device: Device,
): Promise<void> {
  const { db, now } = appContext
  const { accountId, emailAddress } = account
  const limits = limitsOf(device.address, `second factor ${accountId}`)
  const { isRight } = await checkGuess(db, limits, now, async () => ({
    isRight: await accepts(appContext, account, proof),
  }))
  const { address, userAgent: user_agent } = device
  const details = { user_agent, second_factor: proof.method }
  const entry = { emailAddress, address, details, now: now() }
  if (!isRight) {
    await auditAccount(db.sql, { ...entry, action: 'sign-in.failed', isOwner: false })
    throw wrongSecondFactor(proof.method)
  }
  if (proof.method === 'recovery-code')
    await auditAccount(db.sql, { ...entry, action: 'recovery-code.used', isOwner: true })
}

function accepts(
  { db, now, settings }: AppContext,
  { accountId, emailAddress }: AuthenticatedAccount,
  proof: SecondFactorProof,
): Promise<boolean> {
  const { sql } = db
  if (proof.method === 'totp') return acceptTotp(db, accountId, proof.code.replaceAll(' ', ''), now())
  if (proof.method === 'recovery-code') return useRecoveryCode(sql, accountId, proof.code)
  const account = { sql, accountId, emailAddress, relyingParty: relyingPartyOf(settings) }
  return acceptPasskey(account, withoutUndefined(proof.response), now())
}

/** For a time after a sign-in or a proof, a session can add second factors without another proof. */
const RECENT_MICROS = 600_000_000

/** Throws 403 unless the proof is right or, without one, the account proved itself a short time ago. */
export async function requireRecentProof(
  appContext: AppContext,
  session: ConsoleSession,
  proof: Proof | undefined,
  device: Device,
): Promise<void> {
  const { provenAt } = session
  const isRecent = provenAt !== null && appContext.now() - provenAt < RECENT_MICROS
  if (proof !== undefined) await requireProof(appContext, session, proof, device)
  else if (!isRecent) throw proofRequired()
}

/** Throws 403 for a wrong proof, and 429. */
export async function requireProof(
  appContext: AppContext,
  session: ConsoleSession,
  proof: Proof,
  device: Device,
): Promise<void> {
  const { emailAddress: email_address } = session
  const checked =
    proof.method === 'password'
      ? verifyCredentials(appContext, { email_address, password: proof.password }, device)
      : verifySecondFactor(appContext, session, proof, device)
  await checked.catch(asWrongProof)
  await setProven(appContext.db.sql, session.id, appContext.now())
}

/** A 401 would mean that the session has ended. */
function asWrongProof(error: unknown): never {
  throw error instanceof ApiError && error.status === 401 ? wrongProof() : error
}

/** The schema allows members that are undefined; the library requires that these are absent. */
export const withoutUndefined = <T extends object>(response: T): T => JSON.parse(JSON.stringify(response))
