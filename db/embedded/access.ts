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
import { StartProblem } from '../start-error'
import { canReach, makeSystemFolder, type RunAs } from './system-user'

export interface Access {
  readonly port: number
  readonly password: string
  /** The place of a cluster outside its data folder, and the data folder that it belongs to. */
  readonly outside?: { readonly directory: string; readonly dataDir: string }
}

export const accessFile = (dataDir: string): string => join(dataDir, 'database.json')

export const newPassword = (): string => randomBytes(24).toString('hex')

export const urlOf = ({ port, password }: Access): string =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`

/** Creates the data folder and returns its real path. Throws a StartProblem when that is not permitted. */
export function makeDataFolder(path: string): string {
  const dataDir = resolve(path)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return realpathSync(dataDir)
  } catch (error) {
    throw new StartProblem(
      `The data folder ${dataDir} cannot be used (${reason(error)}); start as the user who owns it, or set RELATA_DATA_DIR to another one.`,
    )
  }
}

/** Returns undefined before the first start on this folder. */
export function findAccess(dataDir: string): Access | undefined {
  const file = accessFile(dataDir)
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new StartProblem(
      `${file} cannot be read (${reason(error)}); start as the user who owns it, or set RELATA_DATA_DIR to another folder.`,
    )
  }
}

export function writeAccess(dataDir: string, access: Access): void {
  const file = accessFile(dataDir)
  writeFileSync(`${file}.new`, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
}

/** Chooses the place of a new cluster. Returns undefined for below the data folder, if PostgreSQL's user can enter it. */
export function chooseOutside(dataDir: string, runAs: RunAs): Access['outside'] {
  if (canReach(join(dataDir, 'postgres'), runAs)) return undefined
  const name = new Bun.CryptoHasher('sha256').update(dataDir).digest('hex').slice(0, 12)
  return { directory: join(makeSystemFolder(`data-${name}`), 'postgres'), dataDir }
}

/** Returns PostgreSQL's data directory. A data folder may be moved, but a copy must not use the original's cluster. */
export function clusterOf(dataDir: string, outside: Access['outside']): string {
  if (outside === undefined) return join(dataDir, 'postgres')
  if (outside.dataDir === dataDir || !existsSync(accessFile(outside.dataDir))) return outside.directory
  throw new StartProblem(
    `${dataDir} is a copy of ${outside.dataDir}, whose data is in ${outside.directory}; remove ${accessFile(dataDir)} to begin anew.`,
  )
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
