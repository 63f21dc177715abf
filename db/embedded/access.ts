/**
 * `database.json` in the data folder: how the server of this folder is reached. Readable by its owner only, since the
 * password in it opens everything.
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
import { StartProblem } from '../start-problem'
import { canReach, makeSystemFolder, type RunAs } from './run-as'

export interface Access {
  readonly port: number
  readonly password: string
  /** Where the cluster is when it could not be below its data folder, and which folder that was. */
  readonly outside?: { readonly directory: string; readonly dataDir: string }
}

export const accessFile = (dataDir: string): string => join(dataDir, 'database.json')

export const newPassword = (): string => randomBytes(24).toString('hex')

export const urlOf = ({ port, password }: Access): string =>
  `postgres://postgres:${password}@127.0.0.1:${port}/postgres`

/** Makes the data folder and gives its real path; a sentence when it cannot be made or written to. */
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

/** Undefined before the folder's first start. */
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

/** For a new cluster: undefined to have it below the data folder, which is right if PostgreSQL's user can get there. */
export function chooseOutside(dataDir: string, runAs: RunAs): Access['outside'] {
  if (canReach(join(dataDir, 'postgres'), runAs)) return undefined
  const name = new Bun.CryptoHasher('sha256').update(dataDir).digest('hex').slice(0, 12)
  return { directory: join(makeSystemFolder(`data-${name}`), 'postgres'), dataDir }
}

/** PostgreSQL's own data directory. A data folder may be moved; a copy of one must not use the original's cluster. */
export function clusterOf(dataDir: string, outside: Access['outside']): string {
  if (outside === undefined) return join(dataDir, 'postgres')
  if (outside.dataDir === dataDir || !existsSync(accessFile(outside.dataDir))) return outside.directory
  throw new StartProblem(
    `${dataDir} is a copy of ${outside.dataDir}, whose data is in ${outside.directory}; remove ${accessFile(dataDir)} to begin anew.`,
  )
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
