/** The first start: the service makes the workspace, its administrator and an API key, and prints them. */

import type { Database } from '#db/connect'
import { createKey } from '#access/tokens/api-keys'
import { COMMAND_LINE } from '#access/audit-log/audit'
import type { Config } from '#run/config/config'
import { runFirstStart } from '#api/console/session/first-start'
import { READ_WRITE_SCOPES } from '#vocabulary/scopes'
import type { Clock } from '#base/timing/clock'

/** The credentials that are printed once. The database has only their hashes. */
export interface Credentials {
  readonly email_address: string
  readonly password: string
  readonly key: string
}

type FirstStartConfig = Pick<Config, 'firstStart' | 'workspaceName' | 'adminEmail' | 'adminPassword'>

/** Returns undefined when a workspace exists, or when the first visitor of the console is to create it. */
export async function createFirstWorkspace(
  db: Database,
  config: FirstStartConfig,
  now: Clock,
): Promise<Credentials | undefined> {
  if (config.firstStart === 'browser') return undefined
  const email_address = config.adminEmail
  const password = config.adminPassword ?? madeUpPassword()
  const { workspaceName: workspace_name } = config
  const admin = { email_address, password, first_name: 'Admin', last_name: '', workspace_name }
  return runFirstStart(db, admin, now, async (inside, { workspaceId, memberId }) => {
    const input = { workspaceId, name: 'First key', scopes: READ_WRITE_SCOPES, authorizedBy: memberId, now: now() }
    const { token } = await createKey(inside, input, COMMAND_LINE)
    return { email_address, password, key: token }
  })
}

/** A password of 120 random bits. */
const madeUpPassword = (): string => Buffer.from(crypto.getRandomValues(new Uint8Array(15))).toString('base64url')
