/** What a browser needs to create and use a passkey, and the checks of its answers. WebAuthn Level 3. */

import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Sql, Transaction } from '#db/connect'
import { type Micros, timestampFromMicros } from '#base/timing/clock'
import { listPasskeys, type NewPasskey, type Passkey, recordPasskeyUse } from './passkeys'
import { controlQueriesIn, equal } from '#engine/data-model/kysely-in-transaction'
import { newSecret } from '#access/secrets'

/** The service as its public URL names it: what passkeys are bound to. */
interface RelyingParty {
  /** The host name. A passkey works for this name only. */
  readonly id: string
  readonly origin: string
  readonly name: string
}

interface PasskeyAccount {
  readonly sql: Sql | Transaction
  readonly accountId: string
  readonly emailAddress: string
  readonly relyingParty: RelyingParty
}

export function relyingPartyOf({ appUrl, brand }: { readonly appUrl: string; readonly brand: string }): RelyingParty {
  const { hostname, origin } = new URL(appUrl)
  return { id: hostname, origin, name: brand.charAt(0).toUpperCase() + brand.slice(1) }
}

/**
 * The library takes a tenth of a second to load, and most processes never use it. It imports the polyfill too, but a bundle initializes
 * modules in another order than a runtime, so that of an executable would come too late.
 */
async function library() {
  await import('reflect-metadata')
  return import('@simplewebauthn/server')
}

/** The options of `navigator.credentials.create`. A passkey that the authenticator stores also signs in without the password. */
export async function createEnrolmentOptions(
  { sql, accountId, emailAddress, relyingParty }: PasskeyAccount,
  now: Micros,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library()
  const existing = await listPasskeys(sql, accountId)
  const challenge = await createChallenge(sql, accountId, 'enrolment', now)
  return generateRegistrationOptions({
    rpName: relyingParty.name,
    rpID: relyingParty.id,
    userName: emailAddress,
    userID: new TextEncoder().encode(accountId),
    challenge: Buffer.from(challenge, 'base64url'),
    attestationType: 'none',
    excludeCredentials: existing.map(descriptorOf),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  })
}

/** The options of `navigator.credentials.get`. */
export async function createProofOptions(
  { sql, accountId, relyingParty }: PasskeyAccount,
  now: Micros,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  const challenge = await createChallenge(sql, accountId, 'proof', now)
  return generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: Buffer.from(challenge, 'base64url'),
    allowCredentials: (await listPasskeys(sql, accountId)).map(descriptorOf),
    userVerification: 'preferred',
  })
}

/**
 * The options of `navigator.credentials.get` for a sign-in without the password. They name no passkey, so the authenticator
 * offers those that it stores. It verifies the person by a PIN or biometrics, so the passkey counts as two factors.
 */
export async function createSignInOptions(
  { sql, relyingParty }: Pick<PasskeyAccount, 'sql' | 'relyingParty'>,
  now: Micros,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library()
  const challenge = await createSignInChallenge(sql, now)
  return generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: Buffer.from(challenge, 'base64url'),
    userVerification: 'required',
  })
}

const descriptorOf = ({ credential_id, transports }: NewPasskey) => ({
  id: credential_id,
  transports: transports as AuthenticatorTransport[], // a browser ignores unknown names
})

/** Returns the passkey that the browser created, or undefined when its answer is not valid. */
export async function readEnrolment(
  account: PasskeyAccount,
  response: RegistrationResponseJSON,
  now: Micros,
): Promise<Omit<NewPasskey, 'name'> | undefined> {
  const { verifyRegistrationResponse } = await library()
  const { relyingParty } = account
  // The library throws for an answer that it cannot read.
  const answer = await verifyRegistrationResponse({
    response,
    expectedChallenge: isChallengeOf(account, 'enrolment', now),
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification: false,
  }).catch(() => undefined)
  if (answer?.verified !== true) return undefined
  const { id, publicKey, counter, transports = [] } = answer.registrationInfo.credential
  return { credential_id: id, public_key: publicKey, counter, transports }
}

/** Whether a passkey of the account signed a challenge of ours. An answer is accepted once. */
export async function acceptPasskey(
  account: PasskeyAccount,
  response: AuthenticationResponseJSON,
  now: Micros,
): Promise<boolean> {
  const passkey = (await listPasskeys(account.sql, account.accountId)).find(
    ({ credential_id }) => credential_id === response.id,
  )
  if (passkey === undefined) return false
  const check = { expectedChallenge: isChallengeOf(account, 'proof', now), requireUserVerification: false }
  return verifySignature(account, { passkey, response, ...check }, now)
}

/** Whether the passkey signed a challenge of a sign-in for its own account, after it verified the person. */
export async function acceptSignIn(
  account: PasskeyAccount & { readonly passkey: Passkey },
  response: AuthenticationResponseJSON,
  now: Micros,
): Promise<boolean> {
  const { passkey } = account
  if (response.response.userHandle !== Buffer.from(account.accountId).toString('base64url')) return false
  const expectedChallenge = (challenge: string) => useSignInChallenge(account.sql, challenge, now)
  return verifySignature(account, { passkey, response, expectedChallenge, requireUserVerification: true }, now)
}

interface SignatureCheck {
  readonly passkey: Passkey
  readonly response: AuthenticationResponseJSON
  readonly expectedChallenge: (challenge: string) => Promise<boolean>
  readonly requireUserVerification: boolean
}

async function verifySignature(
  { sql, accountId, relyingParty }: PasskeyAccount,
  { passkey, response, expectedChallenge, requireUserVerification }: SignatureCheck,
  now: Micros,
): Promise<boolean> {
  const { verifyAuthenticationResponse } = await library()
  const { id, credential_id, public_key, counter } = passkey
  // The library throws for an answer that it cannot read.
  const answer = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: relyingParty.origin,
    expectedRPID: relyingParty.id,
    requireUserVerification,
    credential: { id: credential_id, publicKey: Uint8Array.from(public_key), counter },
  }).catch(() => undefined)
  if (answer?.verified !== true) return false
  const use = { id, counter: answer.authenticationInfo.newCounter, before: counter }
  return recordPasskeyUse(sql, accountId, use, now)
}

const isChallengeOf =
  ({ sql, accountId }: PasskeyAccount, purpose: ChallengePurpose, now: Micros) =>
  (challenge: string): Promise<boolean> =>
    useChallenge(sql, accountId, { challenge, purpose }, now)

/** The challenges that passkeys sign. A challenge works once, within five minutes. */
type ChallengePurpose = 'enrolment' | 'proof'

const CHALLENGE_MICROS = 300_000_000

/** Creates a challenge, and deletes the expired ones of the account. */
async function createChallenge(
  sql: Sql | Transaction,
  accountId: string,
  purpose: ChallengePurpose,
  now: Micros,
): Promise<string> {
  const challenge = newSecret()
  const control = controlQueriesIn(sql)
  await control
    .deleteFrom('relata.passkey_challenges')
    .where('account_id', '=', accountId)
    .where('expires_at', '<=', timestampFromMicros(now))
    .execute()
  const expires_at = timestampFromMicros(now + CHALLENGE_MICROS)
  await control
    .insertInto('relata.passkey_challenges')
    .values({ account_id: accountId, challenge, purpose, expires_at })
    .execute()
  return challenge
}

/** Deletes the challenge. Returns false for one that was used, has expired, or had another purpose. */
async function useChallenge(
  sql: Sql | Transaction,
  accountId: string,
  { challenge, purpose }: { readonly challenge: string; readonly purpose: ChallengePurpose },
  now: Micros,
): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.passkey_challenges')
    .where(equal({ account_id: accountId, challenge, purpose }))
    .where('expires_at', '>', timestampFromMicros(now))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Creates a challenge for a sign-in, whose account is not known yet, and deletes the expired ones. */
async function createSignInChallenge(sql: Sql | Transaction, now: Micros): Promise<string> {
  const challenge = newSecret()
  const control = controlQueriesIn(sql)
  await control.deleteFrom('relata.sign_in_challenges').where('expires_at', '<=', timestampFromMicros(now)).execute()
  const expires_at = timestampFromMicros(now + CHALLENGE_MICROS)
  await control.insertInto('relata.sign_in_challenges').values({ challenge, expires_at }).execute()
  return challenge
}

/** Deletes the challenge of a sign-in. Returns false for one that was used or has expired. */
async function useSignInChallenge(sql: Sql | Transaction, challenge: string, now: Micros): Promise<boolean> {
  const { numDeletedRows } = await controlQueriesIn(sql)
    .deleteFrom('relata.sign_in_challenges')
    .where('challenge', '=', challenge)
    .where('expires_at', '>', timestampFromMicros(now))
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}
