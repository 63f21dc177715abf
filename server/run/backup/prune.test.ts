import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Retention } from '#access/installation/backup-schedule'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deleteUnreferenced } from '#crm/blobs/blob-store'
import { testService, type TestService } from '#testing/service'
import { startS3Server } from '#testing/s3-server'
import { listBackups, openRepository, type Repository } from './format'
import { STALE_MS, withLock } from './locks'
import { pruneBackups } from './prune'
import { checkBackup } from './restore-backup'
import { type BackupTarget, openTarget } from './target'
import { writeBackup } from './write-backup'

let service: TestService
let root: string
const progress = { begin() {}, add() {}, done() {} }

beforeAll(async () => {
  service = await testService()
  root = mkdtempSync(join(tmpdir(), 'relata-prune-'))
})
afterAll(async () => {
  rmSync(root, { recursive: true, force: true })
  await service.close()
})

const openFolder = (name: string, passphrase?: string) =>
  openRepository(openTarget(join(root, name), undefined), passphrase, 'may be new')

const backUp = async (repository: Repository) =>
  (await writeBackup({ db: service.db, blobs: service.appContext.blobs, repository, progress })).name

const prune = (repository: Repository, retention: Retention, now = Date.now()) =>
  pruneBackups(repository, { retention, now })

/** Stores a file with these bytes. Returns a function that removes it for good. */
async function storeFile(text: string): Promise<() => Promise<void>> {
  const { body } = await service.request('POST', '/v2/objects/companies/records', { data: { values: {} } })
  const { record_id } = body.data.id
  const form = new FormData()
  form.set('object', 'companies')
  form.set('record_id', record_id)
  form.set('file', new File([text], 'a.txt', { type: 'text/plain' }))
  const uploaded = await service.app.handle(
    new Request('http://localhost/v2/files/upload', {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      body: form,
    }),
  )
  expect(uploaded.status).toBe(201)
  const { file_id } = ((await uploaded.json()) as { data: { id: { file_id: string } } }).data.id
  return async () => {
    expect((await service.request('DELETE', `/v2/files/${file_id}`)).status).toBe(200)
    await deleteUnreferenced(service.appContext, 0)
  }
}

async function listAll(target: BackupTarget, prefix: string): Promise<string[]> {
  const names: string[] = []
  for await (const name of target.list(prefix)) names.push(name)
  return names
}

const checkAll = async (repository: Repository) => {
  for (const backup of await listBackups(repository.target)) await checkBackup(repository, backup, progress)
}

describe('the removal of old backups', () => {
  test.each([undefined, 'correct horse battery staple'])(
    'keeps what kept backups name (pass phrase: %p)',
    async (passphrase) => {
      const repository = await openFolder(`names ${passphrase}`, passphrase)
      const removeFirst = await storeFile(`first ${passphrase}`)
      const removeSecond = await storeFile(`second ${passphrase}`)
      const names = [await backUp(repository)]
      await removeFirst()
      names.push(await backUp(repository))
      await removeSecond()
      names.push(await backUp(repository))
      const files = async () => (await listAll(repository.target, 'files/')).length
      const before = await files()
      expect(await prune(repository, { count: 3 })).toEqual({ backups: [], files: 0 })
      expect(await prune(repository, { count: 2 })).toEqual({ backups: names.slice(0, 1), files: 1 })
      expect(await files()).toBe(before - 1)
      await checkAll(repository)
      expect(await prune(repository, { count: 1 })).toEqual({ backups: names.slice(1, 2), files: 1 })
      await checkAll(repository)
      expect(await listBackups(repository.target)).toEqual(names.slice(2))
      expect(await listAll(repository.target, 'locks/')).toEqual([])
    },
  )

  test('keeps by age as well, and always the newest', async () => {
    const repository = await openFolder('age')
    const names = [await backUp(repository), await backUp(repository), await backUp(repository)]
    const inTwoDays = Date.now() + 2 * 86_400_000
    expect((await prune(repository, { ageMs: 3 * 86_400_000 }, inTwoDays)).backups).toEqual([])
    expect((await prune(repository, { ageMs: 86_400_000, count: 2 }, inTwoDays)).backups).toEqual(names.slice(0, 1))
    expect((await prune(repository, { ageMs: 86_400_000 }, inTwoDays)).backups).toEqual(names.slice(1, 2))
  })

  test('finishes what was interrupted, and leaves what is not of backups', async () => {
    const repository = await openFolder('interrupted')
    const removeFile = await storeFile('interrupted')
    const first = await backUp(repository)
    await removeFile()
    const second = await backUp(repository)
    const place = join(root, 'interrupted')
    // A process that was killed: the first backup has lost its contents only, and a write has left a part.
    rmSync(join(place, 'backups', first, 'contents'))
    writeFileSync(join(place, 'backups', second, `tables/1.${crypto.randomUUID()}.part`), 'half')
    writeFileSync(join(place, 'notes.txt'), 'mine')
    mkdirSync(join(place, 'files/own'))
    writeFileSync(join(place, 'files/own/file'), 'mine')
    expect(await prune(repository, { count: 5 })).toEqual({ backups: [], files: 1 })
    expect(readdirSync(join(place, 'backups'))).toEqual([second])
    expect(readdirSync(join(place, 'backups', second, 'tables')).filter((name) => name.endsWith('.part'))).toEqual([])
    expect([existsSync(join(place, 'notes.txt')), existsSync(join(place, 'files/own/file'))]).toEqual([true, true])
    await checkAll(repository)
  })

  test('removes nothing when a kept backup is damaged', async () => {
    const repository = await openFolder('damaged')
    const names = [await backUp(repository), await backUp(repository)]
    writeFileSync(join(root, 'damaged/backups', names[1] ?? '', 'files'), 'other bytes')
    await expect(prune(repository, { count: 1 })).rejects.toThrow('The backup is damaged')
    expect(await listBackups(repository.target)).toEqual(names)
  })

  test('a bucket is pruned as a folder is', async () => {
    const s3 = await startS3Server()
    const { bucket, ...settings } = s3.settings
    const repository = await openRepository(openTarget(`s3://${bucket}/x/y`, settings), undefined, 'may be new')
    const removeFile = await storeFile('in a bucket')
    const names = [await backUp(repository)]
    await removeFile()
    names.push(await backUp(repository))
    expect(await prune(repository, { count: 1 })).toEqual({ backups: names.slice(0, 1), files: 1 })
    await checkAll(repository)
    expect((await listAll(repository.target, 'backups/')).every((name) => name.includes(names[1] ?? '-'))).toBe(true)
    expect(s3.refused).toEqual([])
    await s3.close()
  })
})

describe('locks', () => {
  test('nothing is removed while a backup is written or read, and the other way round', async () => {
    const repository = await openFolder('locks')
    const { target } = repository
    await backUp(repository)
    await backUp(repository)
    await withLock(target, 'shared', async () => {
      await expect(prune(repository, { count: 1 })).rejects.toThrow('are being written or read, so none is removed now')
      // Two that write or read do not exclude each other.
      await backUp(repository)
    })
    await withLock(target, 'exclusive', async () => {
      await expect(backUp(repository)).rejects.toThrow('are being removed; try again in some minutes')
    })
    expect((await prune(repository, { count: 1 })).backups).toHaveLength(2)
  })

  test('without an old backup, nothing waits and nobody is kept out', async () => {
    const repository = await openFolder('none-old')
    await backUp(repository)
    await withLock(repository.target, 'shared', async () => {
      expect(await prune(repository, { count: 1 })).toEqual({ backups: [], files: 0 })
    })
  })

  test('the lock of a dead process ends, and who had it loses it', async () => {
    const repository = await openFolder('stale')
    const { target } = repository
    const place = join(root, 'stale')
    await backUp(repository)
    await backUp(repository)
    await withLock(target, 'shared', async (lock) => {
      await lock.confirm()
      const [name = ''] = await listAll(target, 'locks/')
      const past = (Date.now() - STALE_MS - 60_000) / 1000
      utimesSync(join(place, name), past, past)
      expect((await prune(repository, { count: 1 })).backups).toHaveLength(1)
      await expect(lock.confirm()).rejects.toThrow('was lost')
    })
  })

  test('a backup whose lock was lost has no contents', async () => {
    const { target, key } = await openFolder('lost')
    const removing: BackupTarget = {
      ...target,
      async write(name, chunks) {
        await target.write(name, chunks)
        if (!name.endsWith('/contents')) return
        for (const lock of await listAll(target, 'locks/')) await target.remove(lock)
      },
    }
    await expect(backUp({ target: removing, key })).rejects.toThrow('was lost')
    expect(await listBackups(target)).toEqual([])
  })
})

describe('a backup that ends early', () => {
  beforeAll(async () => {
    // More rows than a connection buffers.
    await service.db.sql`
      insert into relata.kept_since select 'filled ' || repeat('x', 500) || n, now() from generate_series(1, 20000) n`
  })
  afterAll(async () => {
    await service.db.sql`delete from relata.kept_since where table_name like 'filled %'`
  })

  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

  test('because the disk is full leaves nothing, and the connection goes on', async () => {
    const { target, key } = await openFolder('full')
    const failing: BackupTarget = {
      ...target,
      async write(name, chunks) {
        if (!name.includes('/tables/')) return target.write(name, chunks)
        let written = 0
        for await (const chunk of chunks) if ((written += chunk.length) > 1000) throw full
      },
    }
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(backUp({ target: failing, key })).rejects.toThrow('no space left')
    expect(await listBackups(target)).toEqual([])
    await backUp({ target, key })
    const open = await service.db.sql`
      select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`
    expect(open).toHaveLength(0)
  })

  test('because the service stops', async () => {
    const repository = await openFolder('stopped')
    const stopping = new AbortController()
    const stopped = writeBackup({
      db: service.db,
      blobs: service.appContext.blobs,
      repository,
      progress: {
        ...progress,
        begin: (name) => name.includes('relata.kept_since') && stopping.abort(new Error('stops')),
      },
      signal: stopping.signal,
    })
    await expect(stopped).rejects.toThrow('stops')
    expect(await listBackups(repository.target)).toEqual([])
    expect((await prune(repository, { count: 1 })).backups).toEqual([])
    expect(await listAll(repository.target, 'backups/')).toEqual([])
  })
})
