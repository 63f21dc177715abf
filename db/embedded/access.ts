/**
 * Reads and writes `database.json` in the data folder, which holds the port and the superuser's password. Only the
 * owner of the file may read it.
 */

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { StartError } from '../connect'
import { canEnter, createSystemFolder, type SystemUser } from './binaries'

export interface ServerAccess {
  readonly port: number
  readonly password: string
  /** The place of a cluster outside its data folder, and the data folder that it belongs to. */
  readonly outside?: { readonly directory: string; readonly dataDir: string }
}

export const accessFilePath = (dataDir: string): string => join(dataDir, 'database.json')

export const generatePassword = (): string => randomBytes(24).toString('hex')

export const databaseUrl = ({ port, password }: ServerAccess): string =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`

/** Creates the data folder and returns its real path. Throws a StartProblem when that is not permitted. */
export function createDataFolder(path: string): string {
  const dataDir = resolve(path)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return realpathSync(dataDir)
  } catch (error) {
    throw IS_FULL.test(errorCode(error)) ? diskFull(dataDir, reason(error)) : cannotUse(dataDir, error)
  }
}

/** Returns undefined before the first start on this folder. */
export function findAccess(dataDir: string): ServerAccess | undefined {
  const file = accessFilePath(dataDir)
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartError(
      `${file} cannot be read (${reason(error)}); start as the user who owns it, or set RELATA_DATA_DIR to another folder.`,
    )
  }
}

export function writeAccess(dataDir: string, access: ServerAccess): void {
  const file = accessFilePath(dataDir)
  writeFileSync(`${file}.new`, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

/** Chooses the place of a new cluster. Returns undefined for below the data folder, if PostgreSQL's user can enter it. */
export function chooseOutsideDirectory(dataDir: string, runAs: SystemUser): ServerAccess['outside'] {
  if (canEnter(join(dataDir, 'postgres'), runAs)) return undefined
  const name = new Bun.CryptoHasher('sha256').update(dataDir).digest('hex').slice(0, 12)
  return { directory: join(createSystemFolder(`data-${name}`), 'postgres'), dataDir }
}

/** Returns PostgreSQL's data directory. A data folder may be moved, but a copy must not use the original's cluster. */
export function clusterDirectory(dataDir: string, outside: ServerAccess['outside']): string {
  if (outside === undefined) return join(dataDir, 'postgres')
  if (outside.dataDir === dataDir || !existsSync(accessFilePath(outside.dataDir))) return outside.directory
  throw new StartError(
    `${dataDir} is a copy of ${outside.dataDir}, whose data is in ${outside.directory}; remove ${accessFilePath(dataDir)} to begin anew.`,
  )
}

/** The codes of the operating system and of SQLite, which locks the folder, for a folder that another user owns or that is full. */
const NOT_PERMITTED = /^(?:EACCES|EPERM|EROFS|SQLITE_CANTOPEN|SQLITE_PERM|SQLITE_READONLY)/
const IS_FULL = /^(?:ENOSPC|EDQUOT|SQLITE_FULL)/

/** Explains an error of a file in the data folder. Returns other errors unchanged. */
export function explainFileError(error: unknown, dataDir: string): unknown {
  const code = errorCode(error)
  if (NOT_PERMITTED.test(code)) return cannotUse(dataDir, error)
  return IS_FULL.test(code) ? diskFull(dataDir, reason(error)) : error
}

const errorCode = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

const cannotUse = (dataDir: string, error: unknown): StartError =>
  new StartError(
    `The data folder ${dataDir} cannot be used (${reason(error)}); start as the user who owns it, or set RELATA_DATA_DIR to another one.`,
  )

export const diskFull = (folder: string, cause: string): StartError =>
  new StartError(`The disk of ${folder} is full (${cause}); free some space, or set RELATA_DATA_DIR to another disk.`)

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
