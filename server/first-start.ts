/**
 * What a new installation needs before anyone can use it: a workspace, somebody who administers it, an API key. Done
 * once, by one process; begun again where it was left if it was interrupted.
 */

import type { Database } from '../db/connect'
import { createAccount } from './access/accounts'
import { createMember } from './access/members'
import { createToken } from './access/tokens'
import type { Config } from './config'
import { ALL_SCOPES } from './scopes'
import type { Clock } from './time'
import { createWorkspace } from './workspaces/create-workspace'

/** What is shown once and then known to nobody else. */
export interface Credentials {
  readonly email_address: string
  readonly password: string
  readonly key: string
}

type FirstStartConfig = Pick<Config, 'workspaceName' | 'adminEmail' | 'adminPassword'>

/** Undefined when it was done before, here or by another process. */
export async function firstStart(db: Database, config: FirstStartConfig, now: Clock): Promise<Credentials | undefined> {
  return db.sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('relata first start', 0))`
    const [found] = await tx`select exists (select from relata.tokens) as is_done`
    return found?.is_done === true ? undefined : createEverything(db, config, now)
  })
}

/** The key comes last: as long as there is none, the first start has not been finished. */
async function createEverything(db: Database, config: FirstStartConfig, now: Clock): Promise<Credentials> {
  const workspaceId = await ensureWorkspace(db, config.workspaceName, now)
  const email_address = config.adminEmail
  const password = config.adminPassword ?? madeUpPassword()
  const authorizedBy = await createAdmin(db, workspaceId, { email_address, password }, now)
  const { token } = await createToken(db, {
    workspaceId,
    name: 'First key',
    scopes: ALL_SCOPES,
    authorizedBy,
    now: now(),
  })
  return { email_address, password, key: token }
}

async function ensureWorkspace(db: Database, name: string, now: Clock): Promise<string> {
  const [existing] = await db.sql<{ id: string }[]>`select id from relata.workspaces order by number limit 1`
  return (existing ?? (await createWorkspace(db, { name, slug: slugOf(name), now: now() }))).id
}

interface AdminAccount {
  readonly email_address: string
  readonly password: string
}

/** Of an interrupted first start the account may be there; nobody ever saw its password, so it gets this one. */
async function createAdmin(db: Database, workspaceId: string, account: AdminAccount, now: Clock): Promise<string> {
  const { email_address } = account
  const account_id = (await resetPassword(db, account)) ?? (await createAccount(db, account, now())).id
  const [existing] = await db.sql<{ id: string }[]>`
    select id from relata.workspace_members where workspace_id = ${workspaceId} and account_id = ${account_id}`
  if (existing) return existing.id
  const admin = { first_name: 'Admin', last_name: '', email_address, access_level: 'admin', account_id } as const
  return (await createMember(db, workspaceId, admin, now())).id
}

async function resetPassword(db: Database, { email_address, password }: AdminAccount): Promise<string | undefined> {
  const [account] = await db.sql<{ id: string }[]>`
    update relata.accounts set password_hash = ${await Bun.password.hash(password)}
    where email_address = ${email_address.toLowerCase()} returning id`
  return account?.id
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'workspace'

/** 120 random bits, easy to copy. */
const madeUpPassword = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(15))).toString('base64url')
