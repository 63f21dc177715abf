import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compareWithBackup } from './restore-backup'
import { contentsName, listBackups, openRepository, readContents, readPart, writePart } from './format'
import { openTarget } from './target'
import { everythingIn } from '#testing/everything-in'
import { startS3Server } from '#testing/s3-server'
import { emptyTestDatabase, type TestDatabase, SECRET_KEY_SETTING } from '#testing/database'
import { testService, type TestService } from '#testing/service'
import { fillAttachments } from '#testing/whole-workspace/fill-attachments'
import { archiveParts, fillModel } from '#testing/whole-workspace/fill-model'
import { fillRecords } from '#testing/whole-workspace/fill-records'
import { runRelata } from '#testing/command-line'

let service: TestService
let root: string
const databases: TestDatabase[] = []

beforeAll(async () => {
  service = await testService()
  root = mkdtempSync(join(tmpdir(), 'relata-backup-'))
  await fillModel(service)
  await fillAttachments(service, await fillRecords(service))
  await archiveParts(service)
  // As the index advisor builds one for parts of words.
  await service.db.sql`create extension if not exists pg_trgm`
  await service.db.sql`create index notes_of_test on relata.notes using gin (title gin_trgm_ops)`
})
afterAll(async () => {
  for (const database of databases) await database.drop()
  rmSync(root, { recursive: true, force: true })
  await service.close()
})

const PASSPHRASE = 'correct horse battery staple'

/** Runs a command on the service's database, or on another one. */
const relata = (words: readonly string[], environment: Record<string, string> = {}) =>
  runRelata(words, {
    ...SECRET_KEY_SETTING,
    DATABASE_URL: service.url,
    RELATA_FILES_DIR: service.filesFolder,
    ...environment,
  })

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await emptyTestDatabase()
  databases.push(database)
  return database
}

function filesIn(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path).toString('base64')]))
}

describe.each([
  ['without a pass phrase', {}],
  ['with a pass phrase', { RELATA_BACKUP_PASSPHRASE: PASSPHRASE }],
])('a backup %s', (kind, secret: Record<string, string>) => {
  test('brings back every table, sequence, definition and file', async () => {
    const place = join(root, kind)
    const written = await relata(['backup', place], secret)
    expect(written).toMatchObject({ exitCode: 0, problem: '' })
    const target = await emptyDatabase()
    const files = join(root, `${kind} restored`)
    const environment = { ...secret, ...SECRET_KEY_SETTING, DATABASE_URL: target.url, RELATA_FILES_DIR: files }
    expect(await relata(['restore', place, '--check'], environment)).toMatchObject({ exitCode: 0, problem: '' })
    expect(await relata(['restore', place], environment)).toMatchObject({ exitCode: 0, problem: '' })
    const [source, restored] = await Promise.all([everythingIn(service.db), everythingIn(target.db)])
    expect(restored.definition).toEqual(source.definition)
    expect(restored.sequences).toEqual(source.sequences)
    expect(Object.keys(restored.rows).length).toBeGreaterThan(80)
    for (const [table, rows] of Object.entries(source.rows))
      expect([table, restored.rows[table]]).toEqual([table, rows])
    const blobs = filesIn(join(service.filesFolder, 'blobs'))
    expect(Object.keys(blobs)).not.toEqual([])
    expect(filesIn(join(files, 'blobs'))).toEqual(blobs)
  })

  test('copies the bytes of a file once for all backups', async () => {
    const again = await relata(['backup', join(root, kind)], secret)
    expect(again.output).toContain(', 0 files not in an earlier backup')
    const listed = await relata(['backups', join(root, kind)], secret)
    expect(listed.output.split('\n')).toHaveLength(2)
  })

  test('refuses a database that is not empty', async () => {
    const { exitCode, problem } = await relata(['restore', join(root, kind)], secret)
    expect([exitCode, problem]).toEqual([
      1,
      'The database is not empty. Restore into a new database, or into a new data folder.',
    ])
  })

  test('with a changed byte is refused, by the check as well', async () => {
    const place = join(root, `${kind} damaged`)
    await relata(['backup', place], secret)
    const [part] = readdirSync(join(place, 'backups'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath.endsWith('tables'))
      .map((entry) => join(entry.parentPath, entry.name))
    if (part === undefined) throw new Error('A backup has tables.')
    const bytes = readFileSync(part)
    bytes[bytes.length - 5] = (bytes.at(-5) ?? 0) ^ 1
    writeFileSync(part, bytes)
    const target = await emptyDatabase()
    const environment = { ...secret, ...SECRET_KEY_SETTING, DATABASE_URL: target.url }
    const damaged = expect.stringMatching(/^The backup is damaged: backups\/.* is not as it was written\.$/)
    expect(await relata(['restore', place, '--check'], environment)).toMatchObject({ exitCode: 1, problem: damaged })
    expect(await relata(['restore', place], environment)).toMatchObject({ exitCode: 1, problem: damaged })
    // The service does not start on half of the rows, and the next restore begins anew.
    expect((await relata(['key', 'list', '--workspace', 'x'], environment)).problem).toContain(
      'run bun relata restore again',
    )
    expect(await relata(['restore', join(root, kind)], environment)).toMatchObject({ exitCode: 0, problem: '' })
  })
})

test('a comparison of a restored database finds a changed value, a missing row and another sequence', async () => {
  const repository = await openRepository(openTarget(join(root, 'compared'), undefined), undefined, 'may be new')
  await relata(['backup', join(root, 'compared')])
  const [backup = ''] = await listBackups(repository.target)
  const contents = await readContents(repository, backup)
  const { db, url } = await emptyDatabase()
  await relata(['restore', join(root, 'compared')], { DATABASE_URL: url })
  const compare = () => compareWithBackup({ db, repository, contents, progress: { begin() {}, add() {}, done() {} } })
  expect(await compare()).toBeUndefined()
  const [sequence] = contents.sequences
  await db.sql`select nextval(${sequence?.name ?? ''}::text::regclass)`
  await expect(compare()).rejects.toThrow('The sequences are not those of the backup.')
  await db.sql`update relata.notes set title = title || '.'`
  await expect(compare()).rejects.toThrow('The rows of relata.notes are not those of the backup.')
  await db.sql`delete from relata.migrations where name = '0171_queues'`
  await expect(compare()).rejects.toThrow('The rows of relata.migrations are not those of the backup.')
  await db.sql`create table relata.another (id int)`
  await expect(compare()).rejects.toThrow('The tables are not those of the backup.')
})

test('a place that cannot be used is a sentence', async () => {
  const file = join(root, 'a file')
  writeFileSync(file, '')
  const place = join(file, 'folder')
  const sentence = `${place} cannot be used: ENOTDIR.`
  expect(await relata(['backup', place])).toMatchObject({ exitCode: 1, problem: sentence })
  expect(await relata(['restore', place])).toMatchObject({ exitCode: 1, problem: sentence })
  const nowhere = {
    RELATA_FILES_S3_ENDPOINT: 'http://127.0.0.1:1',
    RELATA_FILES_S3_ACCESS_KEY_ID: 'a',
    RELATA_FILES_S3_SECRET_ACCESS_KEY: 'b',
  }
  const { exitCode, problem } = await relata(['backups', 's3://bucket/x'], nowhere)
  expect([exitCode, problem]).toEqual([1, expect.stringMatching(/^s3:\/\/bucket\/x cannot be used: \w+\.$/)])
})

test('a wrong or missing pass phrase is a sentence', async () => {
  const place = join(root, 'with a pass phrase')
  expect((await relata(['restore', place, '--check'])).problem).toContain('are encrypted; set RELATA_BACKUP_PASSPHRASE')
  expect((await relata(['backup', place], { RELATA_BACKUP_PASSPHRASE: 'another' })).problem).toBe(
    'RELATA_BACKUP_PASSPHRASE is not the pass phrase of these backups.',
  )
})

test('a backup of a newer PostgreSQL, or of a newer version, is refused before anything is written', async () => {
  const place = join(root, 'newer')
  await relata(['backup', place])
  const repository = await openRepository(openTarget(place, undefined), undefined, 'exists')
  const [name = ''] = await listBackups(repository.target)
  const contents = await readContents(repository, name)
  const write = (changed: object) =>
    writePart(repository, contentsName(name), lineOf(JSON.stringify({ ...contents, ...changed })))
  const target = await emptyDatabase()
  const restored = () => relata(['restore', place], { ...SECRET_KEY_SETTING, DATABASE_URL: target.url })
  await write({ postgresql: 990000 })
  expect((await restored()).problem).toMatch(/^The backup is of PostgreSQL 99, and the database is PostgreSQL \d+;/)
  await write({ migrations: [...contents.migrations, '9999_later'] })
  expect((await restored()).problem).toContain('whose migration 9999_later this version does not know')
  expect(await target.db.sql`select nspname from pg_namespace where nspname like 'relata%'`).toHaveLength(0)
})

test('a restore without the key of the secrets is refused before anything is written; one that gives them up is not', async () => {
  const place = join(root, 'with secrets')
  expect((await relata(['backup', place])).output).toMatch(/A restore needs the key [0-9a-f]{16} of RELATA_SECRET_KEY/)
  const target = await emptyDatabase()
  const other = {
    RELATA_SECRET_KEY: Buffer.alloc(32, 'other').toString('base64'),
    DATABASE_URL: target.url,
    RELATA_FILES_DIR: join(root, 'files of another'),
  }
  expect((await relata(['restore', place], other)).problem).toContain('which RELATA_SECRET_KEY does not have')
  expect(await target.db.sql`select nspname from pg_namespace where nspname like 'relata%'`).toHaveLength(0)
  expect((await relata(['restore', place, '--without-key'], other)).exitCode).toBe(0)
  expect((await relata(['check'], other)).problem).toContain('The secrets are encrypted with the key')
  expect((await relata(['secrets', 'reset', '--give-up'], other)).exitCode).toBe(0)
  expect((await relata(['key', 'list'], other)).exitCode).toBe(0)
})

async function* lineOf(text: string) {
  yield new TextEncoder().encode(text)
}

test('a bucket holds backups as a folder does', async () => {
  const s3 = await startS3Server()
  const place = `s3://${s3.settings.bucket}/backups/relata`
  const environment = {
    RELATA_BACKUP_PASSPHRASE: PASSPHRASE,
    RELATA_FILES_S3_ENDPOINT: s3.settings.endpoint,
    RELATA_FILES_S3_ACCESS_KEY_ID: s3.settings.accessKeyId,
    RELATA_FILES_S3_SECRET_ACCESS_KEY: s3.settings.secretAccessKey,
  }
  const target = await emptyDatabase()
  const restoring = {
    ...environment,
    ...SECRET_KEY_SETTING,
    DATABASE_URL: target.url,
    RELATA_FILES_DIR: join(root, 'from a bucket'),
  }
  expect(await relata(['backup', place])).toMatchObject({
    exitCode: 1,
    problem: expect.stringMatching(/^A bucket needs/),
  })
  expect(await relata(['backup', place], environment)).toMatchObject({ exitCode: 0, problem: '' })
  expect((await relata(['backups', place], environment)).output.split('\n')).toHaveLength(1)
  expect(await relata(['restore', place, '--check'], { ...restoring, RELATA_BACKUP_PASSPHRASE: '' })).toMatchObject({
    exitCode: 1,
    problem: `The backups in ${place} are encrypted; set RELATA_BACKUP_PASSPHRASE.`,
  })
  expect(await relata(['restore', place, '--check'], restoring)).toMatchObject({ exitCode: 0, problem: '' })
  expect(await relata(['restore', place], restoring)).toMatchObject({ exitCode: 0, problem: '' })
  expect((await everythingIn(target.db)).rows).toEqual((await everythingIn(service.db)).rows)
  expect(filesIn(join(root, 'from a bucket', 'blobs'))).toEqual(filesIn(join(service.filesFolder, 'blobs')))
  expect(s3.refused).toEqual([])
  await s3.close()
})

test('a bucket takes an encrypted part of several uploads', async () => {
  const s3 = await startS3Server()
  const target = openTarget(`s3://${s3.settings.bucket}/large`, s3.settings)
  const repository = await openRepository(target, PASSPHRASE, 'may be new')
  // Random bytes cannot be compressed. An upload has 16 MB.
  const chunks = Array.from({ length: 40 }, () => randomBytes(1_000_000))
  async function* random() {
    yield* chunks
  }
  const part = await writePart(repository, 'part', random())
  expect(part.stored_bytes).toBeGreaterThan(40_000_000)
  const read: Uint8Array[] = []
  for await (const chunk of readPart(repository, part)) read.push(chunk)
  expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true)
  // Compression leaves random bytes as they are, encryption does not.
  const stored: Uint8Array[] = []
  for await (const chunk of target.read('part')) stored.push(chunk)
  expect(Buffer.concat(stored).includes(chunks[0]?.subarray(0, 32) ?? '')).toBe(false)
  expect(s3.refused).toEqual([])
  await s3.close()
})
