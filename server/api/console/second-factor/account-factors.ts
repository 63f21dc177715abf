/** Adds, shows and removes the second factors of the signed-in account. See docs/reference/sign-in.md (Second factor). */

import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Transaction } from '#db/connect'
import { isUuid } from '#vocabulary/uuids'
import { auditAccount } from '#access/audit-log/audit'
import {
  countRecoveryCodes,
  createRecoveryCodes,
  deleteUselessCodes,
  listFactors,
  lockAccount,
  type OwnFactor,
} from '#access/second-factor/factors'
import { deletePasskey, insertPasskey, listPasskeys, MAX_PASSKEYS } from '#access/second-factor/passkeys'
import { deletePendingSignIns } from '#access/second-factor/pending-sign-ins'
import { confirmTotp, createTotp, deleteTotp, findTotp, type NewTotp } from '#access/second-factor/totp'
import { createEnrolmentOptions, readEnrolment, relyingPartyOf } from '#access/second-factor/webauthn'
import { clearSecondFactors, type Device, endSessions, setSecondFactor } from '#access/sessions/sessions'
import { checkGuess } from '#access/throttle/guesses'
import { secondFactorNotFound, tooManyPasskeys, totpExists } from '#base/errors/access'
import { invalidBody } from '#base/errors/http'
import type { ConsoleSession } from '#api/http/guard/session-guard'
import type { AppContext } from '#context'
import { timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import { limitsOf } from '#api/console/session/credentials'
import type { Enrolled, PasskeyBody } from './schemas'

export async function getFactors({ db: { sql } }: AppContext, { accountId }: ConsoleSession): Promise<object> {
  const [totp, passkeys, codes] = await Promise.all([
    findTotp(sql, accountId),
    listPasskeys(sql, accountId),
    countRecoveryCodes(sql, accountId),
  ])
  return {
    totp: totp === undefined ? null : { created_at: timestampFromPostgres(totp) },
    passkeys: passkeys.map(({ id, name, created_at, last_used_at }) => ({
      id,
      name,
      created_at: timestampFromPostgres(created_at),
      last_used_at: timestampOrNull(last_used_at),
    })),
    recovery_codes: codes,
  }
}

/** Returns the secret for an authenticator app. It counts after its first code. Throws 409 when the account has one. */
export async function beginTotp(
  { db, now, settings }: AppContext,
  { accountId, emailAddress }: ConsoleSession,
): Promise<NewTotp> {
  const issuer = relyingPartyOf(settings).name
  const created = await createTotp(db, { accountId, label: emailAddress, issuer }, now())
  if (created === undefined) throw totpExists()
  return created
}

/** Confirms the authenticator app by a code. Returns recovery codes when it is the first second factor. Throws 400. */
export async function addTotp(
  appContext: AppContext,
  session: ConsoleSession,
  code: string,
  device: Device,
): Promise<Enrolled> {
  const { db, now } = appContext
  const limits = limitsOf(device.address, `second factor ${session.accountId}`)
  const { enrolled } = await checkGuess(db, limits, now, async () => {
    const enrolled = await enrol(appContext, session, { method: 'totp', device }, async (tx) => {
      if (!(await confirmTotp({ sql: tx, secrets: db.secrets }, session.accountId, code.replaceAll(' ', ''), now())))
        throw new WrongCode()
    }).catch(asUndefinedIfWrong)
    return { isRight: enrolled !== undefined, enrolled }
  })
  if (enrolled === undefined) throw refused('code', "That code isn't right. Enter the newest one.")
  return enrolled
}

class WrongCode extends Error {}

function asUndefinedIfWrong(error: unknown): undefined {
  if (!(error instanceof WrongCode)) throw error
}

/** The options of `navigator.credentials.create`. Throws 409. */
export async function beginPasskey(appContext: AppContext, session: ConsoleSession): Promise<object> {
  const { db, now, settings } = appContext
  if ((await listPasskeys(db.sql, session.accountId)).length >= MAX_PASSKEYS) throw tooManyPasskeys(MAX_PASSKEYS)
  return createEnrolmentOptions({ sql: db.sql, ...session, relyingParty: relyingPartyOf(settings) }, now())
}

/** Stores a passkey. Returns recovery codes when it is the first second factor. Throws 400 and 409. */
export function addPasskey(
  appContext: AppContext,
  session: ConsoleSession,
  { name, response }: PasskeyBody,
  device: Device,
): Promise<Enrolled> {
  const { now, settings } = appContext
  const { accountId } = session
  return enrol(appContext, session, { method: 'passkey', name, device }, async (tx) => {
    const account = { sql: tx, ...session, relyingParty: relyingPartyOf(settings) }
    const answer: RegistrationResponseJSON = JSON.parse(JSON.stringify(response)) // absent instead of undefined members
    const created = await readEnrolment(account, answer, now())
    if (created === undefined) throw refused('response', 'The passkey could not be verified')
    if ((await listPasskeys(tx, accountId)).length >= MAX_PASSKEYS) throw tooManyPasskeys(MAX_PASSKEYS)
    const id = await insertPasskey(tx, accountId, { ...created, name }, now())
    if (id === undefined) throw refused('response', 'This passkey exists already')
  })
}

const refused = (member: string, message: string) => invalidBody([{ code: 'invalid', path: [member], message }])

interface FactorChange {
  readonly method: OwnFactor
  readonly name?: string
  readonly device: Device
}

/** The first second factor ends all other sessions, because they began without one. */
async function enrol(
  { db, now }: AppContext,
  session: ConsoleSession,
  change: FactorChange,
  add: (tx: Transaction) => Promise<void>,
): Promise<Enrolled> {
  const { accountId, id } = session
  return db.sql.begin(async (tx) => {
    await lockAccount(tx, accountId)
    const isFirst = (await listFactors(tx, accountId)).length === 0
    await add(tx)
    await setSecondFactor(tx, id, change.method)
    await recordChange(tx, session, { ...change, action: 'second-factor.added' }, now())
    if (!isFirst) return { recovery_codes: null }
    await endSessions(tx, session, id)
    await deletePendingSignIns(tx, accountId)
    return { recovery_codes: await createRecoveryCodes(tx, accountId) }
  }) as Promise<Enrolled> // the driver's type for the callback's result is wider
}

/** Throws 404 when the account has no authenticator app. */
export const removeTotp = (appContext: AppContext, session: ConsoleSession, device: Device): Promise<void> =>
  remove(appContext, session, async (tx) => {
    if (!(await deleteTotp(tx, session.accountId))) throw secondFactorNotFound()
    return { method: 'totp', device }
  })

/** Throws 404 when the account has no such passkey. */
export const removePasskey = (
  appContext: AppContext,
  session: ConsoleSession,
  id: string,
  device: Device,
): Promise<void> =>
  remove(appContext, session, async (tx) => {
    const name = isUuid(id) ? await deletePasskey(tx, session.accountId, id) : undefined
    if (name === undefined) throw secondFactorNotFound()
    return { method: 'passkey', name, device }
  })

async function remove(
  { db, now }: AppContext,
  session: ConsoleSession,
  removeFactor: (tx: Transaction) => Promise<FactorChange>,
): Promise<void> {
  await db.sql.begin(async (tx) => {
    await lockAccount(tx, session.accountId)
    const change = await removeFactor(tx)
    if (await deleteUselessCodes(tx, session.accountId)) await clearSecondFactors(tx, session.accountId)
    await recordChange(tx, session, { ...change, action: 'second-factor.removed' }, now())
  })
}

/** Replaces the recovery codes. Throws 404 for an account without a second factor. */
export async function replaceRecoveryCodes(
  { db, now }: AppContext,
  session: ConsoleSession,
  { address }: Device,
): Promise<readonly string[]> {
  const { accountId, emailAddress } = session
  return db.sql.begin(async (tx) => {
    await lockAccount(tx, accountId)
    if ((await listFactors(tx, accountId)).length === 0) throw secondFactorNotFound()
    const entry = { emailAddress, action: 'recovery-codes.created', isOwner: true, address, now: now() } as const
    await auditAccount(tx, entry)
    return createRecoveryCodes(tx, accountId)
  }) as Promise<readonly string[]> // as above
}

const recordChange = (
  tx: Transaction,
  { emailAddress }: ConsoleSession,
  {
    action,
    method,
    name,
    device: { address },
  }: FactorChange & { action: 'second-factor.added' | 'second-factor.removed' },
  now: number,
): Promise<void> => {
  const details = { second_factor: method, ...(name !== undefined && { name }) }
  return auditAccount(tx, { emailAddress, action, isOwner: true, address, details, now })
}
