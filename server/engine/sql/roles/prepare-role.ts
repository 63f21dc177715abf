/** Creates the role of a workspace, and gives it its settings. */

import type { Transaction } from '#db/connect'
import type { RoleLogin } from '#db/role-connection'
import { sqlNotAvailable } from '#base/errors/queries'
import { errorCodeOf, logError } from '#base/logging/log-error'
import { roleSettings, type SqlLimits, SUPERUSER_SETTINGS } from './role-settings'
import { scramVerifier } from './scram-verifier'

interface RoleOptions {
  readonly limits: SqlLimits
  readonly resetsPassword: boolean
}

/** The connections that all processes together may have for one workspace. */
const CONNECTION_LIMIT = 32
const RETRY_AFTER_MS = 60_000
const INSUFFICIENT_PRIVILEGE = '42501'

/** Throws 503 when the service's own role may not create roles. */
export async function prepareRole(
  tx: Transaction,
  { name, password }: RoleLogin,
  { limits, resetsPassword }: RoleOptions,
): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
  const [existing] = await tx<{ settings: string[] | null }[]>`
    select rolconfig::text[] as settings from pg_roles where rolname = ${name}`
  try {
    if (existing === undefined) await createRole(tx, name, password)
    else if (resetsPassword) await tx.unsafe(`alter role "${name}" login password '${scramVerifier(password)}'`)
    for (const [setting, value] of Object.entries(roleSettings(limits))) {
      if (existing?.settings?.includes(`${setting}=${value}`) !== true) await alterSetting(tx, name, setting, value)
    }
  } catch (error) {
    if (errorCodeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
    logError('SQL needs a login role for each workspace, which the service may not create.', error)
    throw sqlNotAvailable(
      'the database role of this service may not create roles; an operator has to allow it: alter role … createrole;',
      new Date(Date.now() + RETRY_AFTER_MS),
    )
  }
  if (existing === undefined) await limitTemporaryFiles(tx, name)
}

const createRole = (tx: Transaction, name: string, password: string) =>
  tx.unsafe(
    `create role "${name}" login noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls
     connection limit ${CONNECTION_LIMIT} password '${scramVerifier(password)}'`,
  )

const alterSetting = (tx: Transaction, name: string, setting: string, value: string) =>
  tx.unsafe(`alter role "${name}" set ${setting} = '${value}'`)

/** Without the right to set it, the limit of the server applies. */
async function limitTemporaryFiles(tx: Transaction, name: string): Promise<void> {
  for (const [setting, value] of Object.entries(SUPERUSER_SETTINGS)) {
    try {
      await tx.savepoint((step) => step.unsafe(`alter role "${name}" set ${setting} = '${value}'`))
    } catch (error) {
      if (errorCodeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
      console.log(`SQL runs without ${setting}, which only a superuser may set; set it for the whole server.`)
    }
  }
}
