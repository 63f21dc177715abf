/** Reads the settings from the environment. Every setting has a default; an invalid value is reported in a sentence. */

import { join } from 'node:path'
import { StartError } from '../../db/start-error'
import { passwordProblem } from '../access/accounts/passwords'
import type { Setting } from './settings/setting'
import { SETTINGS } from './settings/settings'
import type { SettingParser } from './setting-parsers'

type Settings = typeof SETTINGS
type ValueOf<S extends { read: SettingParser<unknown>; isOptional: boolean }> =
  ReturnType<S['read']> | (S['isOptional'] extends true ? undefined : never)
type Values = { readonly [Key in keyof Settings]: ValueOf<Settings[Key]> }

/** The settings, with the defaults that depend on other settings. */
export interface Config extends Omit<
  Values,
  'baseUrl' | 'filesDir' | 'issuer' | 'objectQuota' | 'memberQuota' | 'mailFrom' | 'adminEmail'
> {
  readonly baseUrl: string
  readonly filesDir: string
  readonly issuer: string
  readonly objectQuota: number
  readonly memberQuota: number
  readonly mailFrom: string
  readonly adminEmail: string
}

/** Throws one error that names every invalid setting. */
export function readConfig(env: Record<string, string | undefined>): Config {
  const problems = unknownNames(env)
  const entries = Object.entries(SETTINGS).map(([key, setting]) => {
    try {
      return [key, readSetting(setting, env)]
    } catch (error) {
      problems.push(`${setting.name} ${error instanceof Error ? error.message : error}`)
      return [key, undefined]
    }
  })
  const values = Object.fromEntries(entries) as Values // the same keys, each read by its own setting, if nothing is wrong
  problems.push(...weakPassword(values), ...missingAccessKey(values), ...missingClient(values))
  if (problems.length > 0) throw new StartError(problems.join('\n'))
  const baseUrl = values.baseUrl ?? `http://localhost:${values.port}`
  return {
    ...values,
    baseUrl,
    filesDir: values.filesDir ?? join(values.dataDir, 'files'),
    issuer: values.issuer ?? `${values.brand}.com`,
    objectQuota: values.objectQuota ?? Number.POSITIVE_INFINITY,
    memberQuota: values.memberQuota ?? Number.POSITIVE_INFINITY,
    mailFrom: values.mailFrom ?? `${values.brand}@${new URL(baseUrl).hostname}`,
    adminEmail: adminEmailOf(values),
  }
}

const adminEmailOf = ({ adminEmail, brand }: Pick<Values, 'adminEmail' | 'brand'>) =>
  adminEmail ?? `admin@${brand}.local`

/** Checks the rule of all passwords. The message does not show the value. */
function weakPassword(values: Values): string[] {
  if (values.adminPassword === undefined) return []
  const weakness = passwordProblem(values.adminPassword, adminEmailOf(values))
  return weakness === undefined ? [] : [`${SETTINGS.adminPassword.name} ${weakness}.`]
}

/** A bucket is used with an access key. */
const missingAccessKey = (values: Values) =>
  missingBeside(values, 'filesBucket', ['filesAccessKeyId', 'filesSecretAccessKey'])

/** A provider is used with a client id and a secret. */
const missingClient = (values: Values) => missingBeside(values, 'oidcIssuer', ['oidcClientId', 'oidcClientSecret'])

function missingBeside(values: Values, key: keyof Settings, needed: readonly (keyof Settings)[]): string[] {
  if (values[key] === undefined) return []
  const missing = needed.filter((name) => values[name] === undefined)
  return missing.map((name) => `${SETTINGS[name].name} must be set too when ${SETTINGS[key].name} is.`)
}

/** An empty variable is treated as absent, because many tools cannot leave it out. */
function readSetting({ name, fallback, read }: Setting<unknown>, env: Record<string, string | undefined>): unknown {
  const raw = env[name]?.trim() || fallback
  return raw === undefined ? undefined : read(raw)
}

/** Refuses unknown names, so that a misspelt setting is not ignored. */
function unknownNames(env: Record<string, string | undefined>): string[] {
  const names = new Set(Object.values(SETTINGS).map(({ name }) => name))
  const unknown = Object.keys(env).filter((name) => name.startsWith('RELATA_') && !names.has(name))
  return unknown.map((name) => `${name} is not a setting; the README lists them all.`)
}
