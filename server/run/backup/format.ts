/**
 * What a backup consists of, in a folder or bucket that holds any number of them:
 *
 * - `key.json`: how the key is made from the pass phrase; absent without encryption.
 * - `backups/<time>/tables/<number>`: the rows of a table in PostgreSQL's text format of COPY.
 * - `backups/<time>/files`: the stored files that the rows name, a line for each.
 * - `backups/<time>/contents`: `Contents` as JSON. Written last: a backup without it did not end.
 * - `files/<digest>`: the bytes of a stored file, once for all backups.
 * - `locks/`: who reads, writes or removes backups at present; see `locks.ts`.
 *
 * All but `key.json` and locks are encrypted when there is a pass phrase, and all but `files/` are compressed with zstd.
 */

import { pipeline } from 'node:stream'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { type DatabaseDefinition, DefinitionSchema, SequenceSchema } from '#db/backup/definitions'
import { CommandError } from '#run/cli/command'
import { createBackupKey, decrypt, encrypt, KeySchema, openKey, secretName } from './cipher'
import type { BackupTarget } from './target'

export const FORMAT_VERSION = 1

const CountedSchema = Type.Object({
  name: Type.String(),
  /** Of the bytes as they are stored, in hexadecimal. */
  sha256: Type.String(),
  stored_bytes: Type.Integer(),
  lines: Type.Integer(),
})
/** A stored part of a backup. */
export type Counted = Static<typeof CountedSchema>

const ContentsSchema = Type.Object({
  format: Type.Literal('relata backup'),
  version: Type.Literal(FORMAT_VERSION),
  service_version: Type.String(),
  /** As `server_version_num`. */
  postgresql: Type.Integer(),
  /** When the snapshot was taken. */
  taken_at: Type.String(),
  /** The migrations of the database, in order. */
  migrations: Type.Array(Type.String()),
  /** The keys with which secrets are encrypted. A backup of an earlier version has none. */
  secret_keys: Type.Optional(Type.Array(Type.Object({ id: Type.String(), check_value: Type.String() }))),
  definition: DefinitionSchema,
  sequences: Type.Array(SequenceSchema),
  /** By the qualified name of the table. */
  tables: Type.Record(Type.String(), CountedSchema),
  files: Type.Intersect([CountedSchema, Type.Object({ bytes: Type.Integer() })]),
})
export type Contents = Omit<Static<typeof ContentsSchema>, 'definition'> & { readonly definition: DatabaseDefinition }

const KEY_NAME = 'key.json'
export const BACKUPS = 'backups/'
export const FILES = 'files/'
export const contentsName = (backup: string): string => `${BACKUPS}${backup}/contents`

/** The backups of one target: what is written passes compression and, with a key, encryption. */
export interface Repository {
  readonly target: BackupTarget
  readonly key: Buffer | undefined
}

/** Opens a target with the pass phrase that its backups were made with. A target without backups gets the key of the pass phrase. */
export async function openRepository(
  target: BackupTarget,
  passphrase: string | undefined,
  isNew: 'may be new' | 'exists',
): Promise<Repository> {
  if ((await target.find(KEY_NAME)) !== undefined) {
    if (passphrase === undefined)
      throw new CommandError(`The backups in ${target.place} are encrypted; set RELATA_BACKUP_PASSPHRASE.`)
    return {
      target,
      key: await openKey(passphrase, Value.Parse(KeySchema, JSON.parse(await readText(target.read(KEY_NAME))))),
    }
  }
  if (passphrase === undefined || isNew === 'exists') return { target, key: undefined }
  const backups = await listBackups(target)
  if (backups.length > 0) {
    throw new CommandError(`The backups in ${target.place} are not encrypted; choose another place for encrypted ones.`)
  }
  const { file, key } = await createBackupKey(passphrase)
  await target.write(KEY_NAME, textChunks(`${JSON.stringify(file, null, 2)}\n`))
  return { target, key }
}

export async function* textChunks(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

/** The names of the backups that ended, the oldest first. */
export async function listBackups(target: BackupTarget): Promise<string[]> {
  const names: string[] = []
  for await (const name of target.list(BACKUPS)) {
    const [, backup] = /^backups\/([^/]+)\/contents$/.exec(name) ?? []
    if (backup !== undefined) names.push(backup)
  }
  return names.toSorted()
}

/** The name of the bytes of a stored file. Without the key, nobody can find out whether a known file is among them. */
export const fileName = ({ key }: Repository, digest: string): string =>
  FILES + (key === undefined ? digest : secretName(key, digest)).replace(/^(..)/, '$1/$1')

/** Writes rows, or other lines. */
export async function writePart(
  { target, key }: Repository,
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<Counted> {
  let lines = 0
  let stored_bytes = 0
  const hasher = new Bun.CryptoHasher('sha256')
  const counted = tap(chunks, (chunk) => (lines += countLines(chunk)))
  const compressed = compress(counted)
  const stored = tap(key === undefined ? compressed : encrypt(key, compressed), (chunk) => {
    hasher.update(chunk)
    stored_bytes += chunk.length
  })
  await target.write(name, stored)
  return { name, sha256: hasher.digest('hex'), stored_bytes, lines }
}

/** Reads what `writePart` wrote. Throws `DamagedBackup` when the bytes are not those that were written. */
export async function* readPart({ target, key }: Repository, part: Counted): AsyncGenerator<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256')
  let lines = 0
  try {
    const stored = tap(target.read(part.name), (chunk) => hasher.update(chunk))
    for await (const chunk of decompress(key === undefined ? stored : decrypt(key, stored))) {
      lines += countLines(chunk)
      yield chunk
    }
  } catch (error) {
    throw new DamagedBackup(part.name, error)
  }
  if (hasher.digest('hex') !== part.sha256 || lines !== part.lines) throw new DamagedBackup(part.name)
}

export async function readContents(repository: Repository, backup: string): Promise<Contents> {
  const name = contentsName(backup)
  const { target, key } = repository
  let text: string
  try {
    const stored = target.read(name)
    text = await readText(decompress(key === undefined ? stored : decrypt(key, stored)))
  } catch (error) {
    throw new DamagedBackup(name, error)
  }
  const contents: unknown = JSON.parse(text)
  if (Value.Check(ContentsSchema, contents)) return contents
  throw new CommandError(`The backup ${backup} has another format than this version of Relata reads.`)
}

/** A stored file that rows of a backup name. */
interface FileLine {
  readonly workspaceId: string
  readonly digest: string
  readonly size: number
}

export async function* readFileLines(repository: Repository, { files }: Contents): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder()
  let held = ''
  for await (const chunk of readPart(repository, files)) {
    const lines = (held + decoder.decode(chunk, { stream: true })).split('\n')
    held = lines.pop() ?? ''
    for (const line of lines) {
      const [workspaceId = '', digest = '', size = ''] = line.split(' ')
      yield { workspaceId, digest, size: Number(size) }
    }
  }
}

export class DamagedBackup extends CommandError {
  constructor(name: string, cause?: unknown) {
    super(`The backup is damaged: ${name} is not as it was written.`, { cause })
  }
}

/** Rows have no line breaks within values, because COPY escapes them. */
function countLines(chunk: Uint8Array): number {
  let count = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++
  return count
}

async function* tap(chunks: AsyncIterable<Uint8Array>, see: (chunk: Uint8Array) => void) {
  for await (const chunk of chunks) {
    see(chunk)
    yield chunk
  }
}

const through = (chunks: AsyncIterable<Uint8Array>, transform: NodeJS.ReadWriteStream): AsyncIterable<Buffer> =>
  // The callback is needed, and the error arrives at the reader as well.
  pipeline(chunks, transform, () => {}) as unknown as AsyncIterable<Buffer> // a transform is also readable
const compress = (chunks: AsyncIterable<Uint8Array>) => through(chunks, createZstdCompress())
const decompress = (chunks: AsyncIterable<Uint8Array>) => through(chunks, createZstdDecompress())

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read).toString('utf8')
}

/** What the progress says of the bytes of a table. */
export const tableStep = ({ tables }: DatabaseDefinition, index: number): string =>
  `Bytes of ${tables[index]?.name}, table ${index + 1} of ${tables.length}`

/** For people. */
export function describeContents({ tables, files, taken_at, service_version }: Contents): string {
  const parts = Object.values(tables)
  const rows = parts.reduce((sum, { lines }) => sum + lines, 0)
  const bytes = parts.reduce((sum, { stored_bytes }) => sum + stored_bytes, 0)
  return `Relata ${service_version} at ${taken_at}, ${rows} rows of ${parts.length} tables (${megabytes(bytes)}), ${files.lines} files (${megabytes(files.bytes)})`
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
