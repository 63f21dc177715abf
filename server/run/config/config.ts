/**
 * Reads the settings from the environment, and secrets also from files. Every setting has a default; an invalid value is
 * reported in a sentence.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '#db/connect'
import { passwordProblem } from '#access/accounts/passwords'
import { type Setting, SETTINGS } from './settings'
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
  problems.push(
    ...weakPassword(values),
    ...missingAccessKey(values),
    ...missingClient(values),
    ...missingMailClient(values),
  )
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
const missingAccessKey = (values: Values) => {
  const key = ['filesAccessKeyId', 'filesSecretAccessKey'] as const
  const missing = missingBeside(values, 'filesBucket', key)
  const isBackupInBucket = values.backupTo?.startsWith('s3://') === true
  return missing.length === 0 && isBackupInBucket ? missingBeside(values, 'backupTo', key) : missing
}

/** A provider is used with a client id and a secret. */
const missingClient = (values: Values) => missingBeside(values, 'oidcIssuer', ['oidcClientId', 'oidcClientSecret'])

/** Providers of email accounts and calendars, too. */
const missingMailClient = (values: Values) => [
  ...missingBeside(values, 'googleClientId', ['googleClientSecret']),
  ...missingBeside(values, 'microsoftClientId', ['microsoftClientSecret']),
  ...missingBeside(values, 'mailIssuer', ['mailClientId', 'mailClientSecret']),
  ...missingBeside(values, 'calendarScope', ['mailIssuer']),
  ...missingBeside(values, 'calendarUrl', ['calendarScope']),
]

function missingBeside(values: Values, key: keyof Settings, needed: readonly (keyof Settings)[]): string[] {
  if (values[key] === undefined) return []
  const missing = needed.filter((name) => values[name] === undefined)
  return missing.map((name) => `${SETTINGS[name].name} must be set too when ${SETTINGS[key].name} is.`)
}

type Environment = Record<string, string | undefined>

/** An empty variable is treated as absent, because many tools cannot leave it out. */
function readSetting(setting: Setting<unknown>, env: Environment): unknown {
  const { name, fallback, read } = setting
  const raw = readSecretFile(setting, env) ?? (env[name]?.trim() || fallback)
  return raw === undefined ? undefined : read(raw)
}

/** The variable that names a file with the secret, as orchestrators mount one. */
const fileVariableOf = ({ name }: Setting<unknown>): string => `${name}_FILE`

/** Returns the content of the file without its final newline; undefined when the environment names no file. */
function readSecretFile(setting: Setting<unknown>, env: Environment): string | undefined {
  const variable = fileVariableOf(setting)
  const path = setting.isSecret === true ? env[variable]?.trim() : undefined
  if (!path) return undefined
  if (env[setting.name]?.trim()) throw new Error(`and ${variable} are both set; unset one of them.`)
  const content = readTextOf(path, variable).replace(/\r?\n$/, '')
  if (content === '') throw new Error(`cannot be read: the file ${path} of ${variable} is empty.`)
  return content
}

function readTextOf(path: string, variable: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot be read from the file of ${variable}: ${cause}.`, { cause: error })
  }
}

/** Refuses unknown names, so that a misspelt setting is not ignored. */
function unknownNames(env: Record<string, string | undefined>): string[] {
  const settings: readonly Setting<unknown>[] = Object.values(SETTINGS)
  const names = new Set(settings.flatMap((each) => (each.isSecret ? [each.name, fileVariableOf(each)] : [each.name])))
  const unknown = Object.keys(env).filter((name) => name.startsWith('RELATA_') && !names.has(name))
  return unknown.map((name) => `${name} is not a setting; the README lists them all.`)
}
