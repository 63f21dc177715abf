/** What the routes of connected accounts do. See docs/connected-accounts.md. */

import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { AppContext } from '#context'
import { accountConnected, accountNotFound, connectionFailed, tooManyAccounts } from '#base/errors/connected-accounts'
import { invalidBody } from '#base/errors/http'
import { newId } from '#base/ids'
import { timestampFromMicros, timestampFromPostgres, timestampOrNull } from '#base/timing/clock'
import { isUuid } from '#vocabulary/uuids'
import type { ConsoleMember } from '#api/http/guard/session-guard'
import { ownDomains } from '#crm/contacts/company-domain'
import { normaliseAddress } from '#crm/mailboxes/email'
import { controlQueriesIn, jsonb } from '#engine/data-model/kysely-in-transaction'
import { AccountProblem } from '#transfer/connected-accounts/account-problem'
import type { Connection } from '#transfer/connected-accounts/account'
import { discoverCalendars } from '#transfer/connected-accounts/caldav/discover'
import { discoverAccounts } from '#transfer/connected-accounts/discover'
import { parseExclusion } from '#transfer/connected-accounts/exclusions'
import { kindOf } from '#transfer/connected-accounts/kinds'
import {
  accountFromRow,
  type AccountRow,
  changeAccount,
  encryptAccountSecret,
  findAccount,
  listAccounts,
  listExclusions,
  type PendingChange,
  progressOf,
  removeAccount,
  replaceExclusions,
  WITHOUT_FAILURE,
} from '#transfer/connected-accounts/store'
import {
  type AccountSecret,
  CalDavSettings,
  CalendarAddress,
  IcsSettings,
  ImapSettings,
  type MailProviderId,
  PasswordSecret,
  type Sharing,
  type TokenSecret,
} from '#transfer/connected-accounts/settings'
import { withFreshToken } from '#transfer/connected-accounts/sign-in/refresh-tokens'
import type {
  AccountChangeBody,
  AccountOutput,
  DiscoveryBody,
  ExclusionsBody,
  NewAccountBody,
  Proposal,
  SignedInAccount,
} from './schemas'

/** More are a mistake, and each holds a connection. */
const MAX_ACCOUNTS = 10

export async function renderAccounts({ db }: AppContext, member: ConsoleMember): Promise<AccountOutput[]> {
  return (await listAccounts(db.sql, member)).map(renderAccount)
}

const renderAccount = (row: AccountRow): AccountOutput => ({
  id: row.id,
  ...kindAndSettings(row),
  email_address: row.email_address,
  provider: row.provider as AccountOutput['provider'], // the check of the column
  sharing: row.sharing as Sharing, // the check of the column
  history_days: row.history_days,
  state: row.state as AccountOutput['state'], // the check of the column
  error:
    row.error_code === null
      ? null
      : {
          code: row.error_code,
          message: row.error_message ?? '',
          answer: row.error_answer,
          since: timestampOrNull(row.failing_since),
          next_attempt_at: row.leased_by === null ? timestampOrNull(row.due_at) : null,
        },
  progress: progressOf(row),
  synced_at: timestampOrNull(row.synced_at),
  created_at: timestampFromPostgres(row.created_at),
})

type KindAndSettings = {
  [K in AccountOutput['kind']]: Pick<Extract<AccountOutput, { kind: K }>, 'kind' | 'settings'>
}[AccountOutput['kind']]

/** The settings of a row are those of its kind. */
const kindAndSettings = ({ kind, settings }: AccountRow) =>
  ({ kind, settings: JSON.parse(settings) }) as KindAndSettings

export async function proposeAccounts(
  { accountServers }: AppContext,
  { email_address, kind = 'imap' }: DiscoveryBody,
): Promise<Proposal[]> {
  const address = requireAddress(email_address)
  const offered = accountServers.signIn?.providersFor(kind) ?? []
  const providerAt = (host: string) => {
    const provider = offered.find(({ id }) => id === (PROVIDER_OF_HOST.get(host) ?? 'other'))
    return provider === undefined ? null : { id: provider.id, name: provider.name }
  }
  if (kind === 'imap')
    return (await discoverAccounts(accountServers, address)).map((found) => ({
      ...found,
      provider: providerAt(found.settings.host),
    }))
  return (await discoverCalendars(accountServers, address)).map((found) => ({
    ...found,
    provider: providerAt(new URL(found.settings.url).hostname),
  }))
}

/** At any other server, members sign in at the provider that the operator has set, if there is one. */
const PROVIDER_OF_HOST: ReadonlyMap<string, MailProviderId> = new Map([
  ['imap.gmail.com', 'google'],
  ['apidata.googleusercontent.com', 'google'],
  ['outlook.office365.com', 'microsoft'],
])

function requireAddress(text: string): string {
  const address = normaliseAddress(text)
  if (address === undefined)
    throw invalidBody([{ code: 'invalid_string', path: ['email_address'], message: 'It is not an email address.' }])
  return address
}

/** Returns the normalised address of an account that the member may connect. Throws 400 and 409. */
export async function prepareAccount(
  appContext: AppContext,
  member: ConsoleMember,
  account: NewAccountBody | SignedInAccount,
): Promise<string> {
  const address = requireAddress(account.email_address)
  await refuseAnother(appContext, member, address, account)
  return address
}

/** Signs in first. Throws 400 with the words of the server when that fails. */
export async function connectAccount(
  appContext: AppContext,
  member: ConsoleMember,
  body: NewAccountBody | (SignedInAccount & { readonly secret: TokenSecret }),
): Promise<AccountOutput> {
  const { db, now } = appContext
  const { workspaceId, memberId } = member
  const address = await prepareAccount(appContext, member, body)
  await tryConnection(appContext, body.kind, { settings: body.settings, secret: body.secret })
  const id = newId()
  await db.sql.begin(async (tx) => {
    const at = timestampFromMicros(now())
    await controlQueriesIn(tx)
      .insertInto('relata.connected_accounts')
      .values({
        workspace_id: workspaceId,
        id,
        member_id: memberId,
        kind: body.kind,
        email_address: address,
        settings: jsonb(body.settings),
        secret: await encryptAccountSecret(db, tx, { workspaceId, id }, body.secret),
        provider: providerOf(body.secret),
        sharing: body.sharing,
        history_days: body.history_days,
        created_at: at,
        due_at: at,
      })
      .execute()
  })
  appContext.workers?.wake('connected accounts')
  return renderAccount(await requireAccount(appContext, member, id))
}

const providerOf = (secret: AccountSecret | CalendarAddress): string | null =>
  'provider' in secret ? secret.provider : null

/** Throws 409 for an account that the member has, and for too many. */
async function refuseAnother(
  { db }: AppContext,
  member: ConsoleMember,
  address: string,
  body: NewAccountBody | SignedInAccount,
): Promise<void> {
  const accounts = await listAccounts(db.sql, member)
  if (accounts.length >= MAX_ACCOUNTS) throw tooManyAccounts(MAX_ACCOUNTS)
  const isSame = (row: AccountRow) => {
    if (row.kind !== body.kind) return false
    const stored = accountFromRow(db.secrets, row)
    if (body.kind === 'ics') return Bun.deepEquals(stored.secret, body.secret)
    if (body.kind === 'caldav') {
      const { url, user } = stored.settings as CalDavSettings // that of its kind
      return url === body.settings.url && user === body.settings.user
    }
    const { host, user } = stored.settings as ImapSettings // that of its kind
    return row.email_address === address && host === body.settings.host && user === body.settings.user
  }
  if (accounts.some(isSame)) throw accountConnected(address)
}

async function tryConnection(
  { accountServers }: AppContext,
  kind: string,
  { settings, secret }: { readonly settings: unknown; readonly secret: unknown },
): Promise<void> {
  try {
    await kindOf(kind).check(accountServers, { settings, secret } as Connection) // the secret of its kind
  } catch (error) {
    if (error instanceof AccountProblem) throw connectionFailed(error)
    throw error
  }
}

/** Throws 404 for an account of somebody else. */
export async function requireAccount({ db }: AppContext, member: ConsoleMember, id: string): Promise<AccountRow> {
  const row = isUuid(id) ? await findAccount(db.sql, member, id.toLowerCase()) : undefined
  if (row === undefined) throw accountNotFound(id)
  return row
}

/** New settings and a new password are tried first. */
export async function changeConnectedAccount(
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  changes: AccountChangeBody,
): Promise<AccountOutput> {
  requireOfKind((await requireAccount(appContext, member, id)).kind, changes.settings, changes.secret)
  return change(appContext, member, id, changes)
}

/** Stores the tokens of a member who has signed in again. */
export const replaceSecret = (appContext: AppContext, member: ConsoleMember, id: string, secret: TokenSecret) =>
  change(appContext, member, id, { secret })

type AccountChanges = Omit<AccountChangeBody, 'secret'> & {
  readonly secret?: AccountSecret | CalendarAddress | undefined
}

async function change(
  appContext: AppContext,
  member: ConsoleMember,
  id: string,
  { settings, secret, sharing, history_days }: AccountChanges,
): Promise<AccountOutput> {
  const { db, now } = appContext
  const row = await requireAccount(appContext, member, id)
  const stored = accountFromRow(db.secrets, row)
  const isConnectionChanged = settings !== undefined || secret !== undefined
  if (isConnectionChanged)
    await tryConnection(appContext, row.kind, {
      settings: settings ?? stored.settings,
      secret: secret ?? (await freshSecret(appContext, row)),
    })
  const pending: PendingChange[] = [
    ...(sharing !== undefined && sharing !== stored.sharing ? (['sharing'] as const) : []),
    // More history is read by going through the folders again.
    ...(history_days !== undefined && history_days !== stored.historyDays ? (['exclusions'] as const) : []),
  ]
  const changed = await db.sql.begin(async (tx) => {
    const encrypted = secret && (await encryptAccountSecret(db, tx, stored, secret))
    return changeAccount(
      tx,
      member,
      row.id,
      {
        ...(settings === undefined ? {} : { settings: JSON.stringify(settings) }),
        ...(encrypted === undefined || secret === undefined ? {} : { secret: encrypted, provider: providerOf(secret) }),
        ...(sharing === undefined ? {} : { sharing }),
        ...(history_days === undefined ? {} : { history_days }),
        ...(isConnectionChanged ? WITHOUT_FAILURE : {}),
      },
      { now: now(), pending },
    )
  })
  if (changed === undefined) throw accountNotFound(id)
  appContext.workers?.wake('connected accounts')
  return renderAccount(changed as AccountRow) // the driver's type for the callback's result is wider
}

/** Throws 400 when the provider gives no new token. */
async function freshSecret(appContext: AppContext, row: AccountRow): Promise<AccountSecret | undefined> {
  try {
    return accountFromRow(appContext.db.secrets, await withFreshToken(appContext, row)).secret
  } catch (error) {
    if (error instanceof AccountProblem) throw connectionFailed(error)
    throw error
  }
}

/** Throws 400 for settings and secrets of another kind of account. */
function requireOfKind(kind: string, settings: unknown, secret: unknown): void {
  const forms: Readonly<Record<string, readonly TSchema[]>> = {
    imap: [ImapSettings, PasswordSecret],
    caldav: [CalDavSettings, PasswordSecret],
    ics: [IcsSettings, CalendarAddress],
  }
  const isWrong = (given: unknown, index: number) => {
    const form = forms[kind]?.[index]
    return given !== undefined && (form === undefined || !Value.Check(form, given))
  }
  const wrong = [settings, secret].findIndex(isWrong)
  if (wrong === -1) return
  const message = 'This belongs to another kind of account.'
  throw invalidBody([{ code: 'invalid', path: [wrong === 0 ? 'settings' : 'secret'], message }])
}

/** Reads the account now, and not when it is due. A process that waits for news begins again, one that reads goes on. */
export async function readNow(appContext: AppContext, member: ConsoleMember, id: string): Promise<AccountOutput> {
  const found = await requireAccount(appContext, member, id)
  const isWaiting = found.kind === 'imap' && progressOf(found).phase === 'complete'
  if (found.worker !== null && !isWaiting) return renderAccount(found)
  const row = await changeAccount(appContext.db.sql, member, found.id, {}, { now: appContext.now() })
  if (row === undefined) throw accountNotFound(id)
  appContext.workers?.wake('connected accounts')
  return renderAccount(row)
}

/** Throws 404 for an account of somebody else. */
export async function disconnectAccount(appContext: AppContext, member: ConsoleMember, id: string): Promise<void> {
  const { id: accountId } = await requireAccount(appContext, member, id)
  await removeAccount(appContext.db.sql, member, accountId, appContext.now())
  appContext.workers?.wake('connected accounts')
}

export async function readExclusions({ db, models }: AppContext, member: ConsoleMember) {
  const model = await models.getSince(member.workspaceId, member.modelVersion)
  return { patterns: await listExclusions(db.sql, member), own_domains: [...ownDomains(model)] }
}

/** Throws 400 for a text that is neither an address nor a domain. */
export async function saveExclusions(appContext: AppContext, member: ConsoleMember, { patterns }: ExclusionsBody) {
  const parsed = patterns.map((text, index) => {
    const pattern = parseExclusion(text)
    if (pattern !== undefined) return pattern
    const message = 'It is neither an email address nor a domain.'
    throw invalidBody([{ code: 'invalid_string', path: ['patterns', index], message }])
  })
  const { db, now } = appContext
  await db.sql.begin((tx) => replaceExclusions(tx, member, [...new Set(parsed)], now()))
  appContext.workers?.wake('connected accounts')
  return readExclusions(appContext, member)
}
