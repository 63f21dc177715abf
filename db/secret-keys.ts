/**
 * Encrypts secrets that the database stores and that cannot be hashes, with AES-256-GCM and the keys of the operator. A stored
 * secret is bound to its table and row, so it cannot be read in another row. See docs/decisions/secrets.md.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type SecretCipher, secretKeyMissing, type SecretRow, StartError } from './connect'
import { explainFileError } from './embedded/access'

export interface SecretKey {
  /** The beginning of the SHA-256 of the key, by which stored secrets name it. */
  readonly id: string
  readonly bytes: Buffer
}

/** The keys of a process. The first one is the newest. */
export interface SecretKeys {
  list(): readonly SecretKey[]
  /** Where the keys are, for messages: the name of a setting, or the path of a file. */
  readonly place: string
  /** The path of the file that the service made itself; undefined when the keys are in a setting. */
  readonly file: string | undefined
}

const KEY_BYTES = 32
const ID_LENGTH = 16

const keyOf = (bytes: Buffer): SecretKey => ({
  id: createHash('sha256').update(bytes).digest('hex').slice(0, ID_LENGTH),
  bytes,
})

/**
 * Parses keys that spaces, commas or line ends separate: 32 bytes each, in base64 or in 64 hexadecimal digits. Throws an error whose
 * message does not show them.
 */
export function parseSecretKeys(text: string): SecretKey[] {
  const words = text.trim().split(/[\s,]+/)
  return words.map((word) => {
    const bytes = /^[0-9a-f]{64}$/i.test(word) ? Buffer.from(word, 'hex') : Buffer.from(word, 'base64')
    const isKey = /^[A-Za-z0-9+/_-]+={0,2}$/.test(word) && bytes.length === KEY_BYTES
    if (!isKey) throw new Error('must be 32 random bytes in base64, which `openssl rand -base64 32` prints.')
    return keyOf(bytes)
  })
}

const renderKey = ({ bytes }: SecretKey): string => bytes.toString('base64')

export const secretKeyFile = (dataDir: string): string => join(dataDir, 'secret.key')

interface KeySources {
  /** The keys of the setting. */
  readonly configured: readonly SecretKey[] | undefined
  /** The folder of the embedded PostgreSQL; undefined with a server of one's own. */
  readonly dataDir: string | undefined
}

/** Returns the keys of the setting, and then those of the file in the data folder. Reads the file again when a key is missing. */
export function openSecretKeys({ configured = [], dataDir }: KeySources): SecretKeys {
  const file = dataDir === undefined ? undefined : secretKeyFile(dataDir)
  const inFile = () => (file === undefined ? [] : readKeyFile(file))
  return {
    list: () => [...configured, ...inFile()],
    place: configured.length > 0 || file === undefined ? 'RELATA_SECRET_KEY' : file,
    file: configured.length > 0 ? undefined : file,
  }
}

function readKeyFile(file: string): SecretKey[] {
  try {
    return existsSync(file) ? parseSecretKeys(readFileSync(file, 'utf8')) : []
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    throw new StartError(`The keys in ${file} cannot be read: ${cause}`)
  }
}

/** Makes the file with a new key, unless another process has made it. Only its owner may read it. */
export function createKeyFile(file: string): void {
  const temporary = `${file}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(temporary, `${renderKey(keyOf(randomBytes(KEY_BYTES)))}\n`, { mode: 0o600, flush: true })
    linkSync(temporary, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
      throw explainFileError(error, dirname(file))
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Puts a new key before the keys of the file. */
export const addKeyToFile = (file: string): void =>
  writeKeys(file, [keyOf(randomBytes(KEY_BYTES)), ...readKeyFile(file)])

/** Keeps one key in the file. Each other key moves to a file of its own, whose name ends with the id of the key. Returns their paths. */
export function keepOneKey(file: string, id: string): string[] {
  const keys = readKeyFile(file)
  const others = keys.filter((key) => key.id !== id)
  const paths = others.map((key) => {
    const path = `${file}.${key.id}`
    writeKeys(path, [key])
    return path
  })
  writeKeys(
    file,
    keys.filter((key) => key.id === id),
  )
  return paths
}

function writeKeys(file: string, keys: readonly SecretKey[]): void {
  try {
    writeFileSync(`${file}.new`, `${keys.map(renderKey).join('\n')}\n`, { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  } catch (error) {
    throw explainFileError(error, dirname(file))
  }
}

// A stored secret: a version, the id of the key, and the initialisation vector, the tag and the ciphertext in base64url.

const VERSION = 'enc1'
const IV_BYTES = 12
const TAG_BYTES = 16

/** The beginning of every secret that is encrypted with a key; without a key, of every encrypted secret. */
export const encryptedPrefix = (keyId?: string): string => `${VERSION}.${keyId === undefined ? '' : `${keyId}.`}`

export const isEncrypted = (stored: string): boolean => stored.startsWith(encryptedPrefix())

const additionalData = ({ table, key }: SecretRow): Buffer => Buffer.from([table, ...key].join('\n'))

export function encryptWith({ id, bytes }: SecretKey, row: SecretRow, plain: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(additionalData(row))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return encryptedPrefix(id) + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
}

/** Throws when the text was not encrypted with this key for this row. */
export function decryptWith({ bytes }: SecretKey, row: SecretRow, stored: string): string {
  const data = Buffer.from(stored.slice(stored.lastIndexOf('.') + 1), 'base64url')
  const decipher = createDecipheriv('aes-256-gcm', bytes, data.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(additionalData(row)).setAuthTag(data.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(data.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}

export function createSecretCipher(keys: SecretKeys): SecretCipher {
  let known = new Map(keys.list().map((key) => [key.id, key]))
  const findKey = (id: string): SecretKey => {
    if (!known.has(id)) known = new Map(keys.list().map((key) => [key.id, key]))
    const key = known.get(id)
    if (key !== undefined) return key
    if (known.size === 0) throw secretKeyMissing()
    throw new StartError(`A secret is encrypted with the key ${id}, which ${keys.place} does not have.`)
  }
  return {
    async encrypt(sql, row, plain) {
      const [current] = await sql<{ id: string }[]>`select id from relata.secret_keys where is_current for share`
      if (current === undefined) throw secretKeyMissing()
      return encryptWith(findKey(current.id), row, plain)
    },
    decrypt(row, stored) {
      const [version, id = ''] = stored.split('.', 2)
      if (version !== VERSION) throw new Error(`A secret of ${row.table} is not encrypted.`)
      return decryptWith(findKey(id), row, stored)
    },
  }
}
