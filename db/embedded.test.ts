import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { connect, StartError } from './connect'
import { joinEmbedded, startEmbedded, type EmbeddedDatabase, type EmbeddedDatabaseOptions } from './embedded'
import { until } from '#testing/until'
import { explainFileError } from './embedded/access'
import { readPidFile } from './embedded/cluster'

/** The path has a space, as paths of home folders may. */
const folder = mkdtempSync(join(tmpdir(), 'relata embedded-'))
const dataDir = join(folder, 'data')
const cluster = join(dataDir, 'postgres')
const running = new Set<EmbeddedDatabase>()

chmodSync(folder, 0o755)

async function start(options: Partial<EmbeddedDatabaseOptions> = {}): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir, purpose: 'service', durability: 'throw-away', ...options })
  running.add(database)
  return database
}

async function stop(database: EmbeddedDatabase): Promise<void> {
  running.delete(database)
  await database.stop()
}

async function query(url: string, text: string): Promise<unknown[]> {
  const db = connect(url, { max: 1 })
  try {
    return [...(await db.sql.unsafe(text))]
  } finally {
    await db.close()
  }
}

/** The process that takes connections now; none while PostgreSQL is on its way up or down. */
function readyServer(): number | undefined {
  const lines = readPidFile(cluster)
  return lines[7]?.trim() === 'ready' ? Number(lines[0]) : undefined
}

function serverPid(): number {
  const pid = readyServer()
  if (pid === undefined) throw new Error('PostgreSQL does not take connections.')
  return pid
}

/** A process that has ended but was not yet buried by its parent is not alive. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch (error) {
    const hasNoStatus = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return hasNoStatus && !existsSync('/proc/self') // there is no /proc on this system
  }
}

beforeAll(async () => stop(await start()))
afterEach(async () => {
  for (const database of running) await stop(database)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('startEmbedded', () => {
  test('keeps data and port from one start to the next', async () => {
    const first = await start()
    await query(first.url, 'create table kept as select 1 as n')
    await stop(first)
    const second = await start()
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 1 }])
  })

  test('lets only in who knows the password, which only the owner can read', async () => {
    const { url } = await start()
    const stranger = new URL(url)
    stranger.password = 'wrong'
    await expect(query(stranger.href, 'select 1')).rejects.toThrow('password authentication failed')
    expect(statSync(join(dataDir, 'database.json')).mode & 0o077).toBe(0)
    expect(statSync(cluster).mode & 0o077).toBe(0)
  })

  test('is durable for a service', async () => {
    const { url } = await start({ durability: 'durable' })
    const settings = `select name, setting from pg_settings
      where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'listen_addresses') order by name`
    expect(await query(url, settings)).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '127.0.0.1' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
  })

  test.if(process.platform === 'linux')('limits the memory of its processes', async () => {
    await start()
    // Its processes inherit the limits of the server.
    const limits = readFileSync(`/proc/${serverPid()}/limits`, 'utf8')
    const bytes = Number(/^Max address space\s+(\d+)/m.exec(limits)?.[1])
    expect(bytes).toBeGreaterThan(1_000_000_000)
    expect(bytes).toBeLessThan(totalmem())
  })

  test('refuses a second service on the same folder', async () => {
    await start()
    await expect(start()).rejects.toThrow(`Relata already runs on ${dataDir} (process ${process.pid})`)
  })

  test('starts PostgreSQL again when it is killed, with everything committed', async () => {
    let restarts = 0
    const { url } = await start({ durability: 'durable', onRestart: () => (restarts += 1) })
    await query(url, 'create table survives as select 2 as n')
    const pid = serverPid()
    process.kill(pid, 'SIGKILL')
    await until(() => restarts > 0 && ![undefined, pid].includes(readyServer()))
    expect(await query(url, 'select n from survives')).toEqual([{ n: 2 }])
  })

  test('takes over from a service that was killed', async () => {
    const script = `
      import { startEmbedded } from ${JSON.stringify(join(import.meta.dir, 'embedded'))}
      await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, purpose: 'service' })
      console.log('started')`
    const killed = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
    await killed.stdout.getReader().read()
    const orphan = serverPid()
    killed.kill('SIGKILL')
    await killed.exited
    expect(isAlive(orphan)).toBe(true)
    await start()
    expect(isAlive(orphan)).toBe(false)
    expect(serverPid()).not.toBe(orphan)
  })

  test('ignores the files that a crash left, also when another process has the same id now', async () => {
    writeFileSync(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1\n54329\n\n127.0.0.1\n\nready\n`)
    const { url } = await start()
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  test('chooses another port when its own is taken', async () => {
    const before = await start()
    await stop(before)
    const taken = Bun.listen({ hostname: '127.0.0.1', port: Number(new URL(before.url).port), socket: { data() {} } })
    const { url } = await start()
    taken.stop(true)
    expect(url).not.toBe(before.url)
    expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  test('a copy of a data folder is a database of its own', async () => {
    const copy = join(folder, 'copy')
    const original = await start()
    await stop(original)
    cpSync(dataDir, copy, { recursive: true })
    if (process.getuid?.() === 0) Bun.spawnSync(['chown', '-R', '65534:65534', join(copy, 'postgres')])
    await start()
    const second = await start({ dataDir: copy })
    expect(await query(second.url, `select current_setting('data_directory') as dir`)).toEqual([
      { dir: join(copy, 'postgres') },
    ])
  })
})

describe('startEmbedded refuses', () => {
  const file = (name: string) => join(dataDir, name)

  test('the data of another version, and says the ways out', async () => {
    const version = readFileSync(join(cluster, 'PG_VERSION'))
    writeFileSync(join(cluster, 'PG_VERSION'), '16\n')
    await expect(start()).rejects.toThrow(
      'was written by PostgreSQL 16, but this version of Relata brings PostgreSQL 18; run `bun relata upgrade`',
    )
    writeFileSync(join(cluster, 'PG_VERSION'), '19\n')
    await expect(start()).rejects.toThrow(
      'was written by PostgreSQL 19, but this version of Relata brings PostgreSQL 18; start the version of Relata that wrote it, or a newer one.',
    )
    writeFileSync(join(cluster, 'PG_VERSION'), version)
  })

  test('data without its password', async () => {
    renameSync(file('database.json'), file('elsewhere'))
    await expect(start()).rejects.toThrow('with its password is missing; restore that file from a backup')
    renameSync(file('elsewhere'), file('database.json'))
  })

  test('a password without its data, rather than begin with an empty database', async () => {
    renameSync(cluster, file('elsewhere'))
    await expect(start()).rejects.toThrow(`The data in ${cluster} is gone`)
    renameSync(file('elsewhere'), cluster)
  })

  test('a data folder that cannot be made', async () => {
    await expect(start({ dataDir: join(folder, 'data', 'database.json', 'x') })).rejects.toThrow('cannot be used')
  })
})

describe('startEmbedded ends with a sentence', () => {
  test('when PostgreSQL refuses its settings, and names the log', async () => {
    const file = join(cluster, 'postgresql.auto.conf')
    const settings = readFileSync(file)
    writeFileSync(file, 'no_setting = 1')
    const failure = await start().catch((error: unknown) => error)
    writeFileSync(file, settings)
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toContain('The embedded PostgreSQL did not start')
    expect(String(failure)).toContain('unrecognized configuration parameter "no_setting"')
    expect(String(failure)).toEndWith(`; see ${join(dataDir, 'postgres.log')}.`)
  })

  test.if(process.platform === 'linux')('when the disk of its folder is full', async () => {
    const full = join(folder, 'full')
    mkdirSync(full)
    symlinkSync('/dev/full', join(full, 'in-use.json'))
    const failure = await start({ dataDir: full }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toContain(`The disk of ${full} is full (ENOSPC`)
  })

  test.each([
    ['EACCES', 'start as the user who owns it'],
    ['EROFS', 'start as the user who owns it'],
    ['SQLITE_CANTOPEN', 'start as the user who owns it'],
    ['SQLITE_FULL', 'free some space'],
    ['EDQUOT', 'free some space'],
  ])('for a file that fails with %s', (code, wayOut) => {
    const failure = explainFileError(Object.assign(new Error('the cause'), { code }), dataDir)
    expect(failure).toBeInstanceOf(StartError)
    expect(String(failure)).toContain(`(the cause); ${wayOut}`)
  })
})

test('an interrupted first start is begun again', async () => {
  const interrupted = join(folder, 'interrupted')
  await stop(await start({ dataDir: interrupted }))
  renameSync(join(interrupted, 'postgres'), join(interrupted, 'postgres.unfinished'))
  rmSync(join(interrupted, 'postgres.unfinished', 'PG_VERSION'))
  const { url } = await start({ dataDir: interrupted })
  expect(await query(url, 'select 1 as n')).toEqual([{ n: 1 }])
})

describe('joinEmbedded', () => {
  test('uses the running service and leaves it running', async () => {
    const service = await start()
    const joined = await joinEmbedded(dataDir)
    expect(joined.url).toBe(service.url)
    await joined.stop()
    expect(await query(service.url, 'select 1 as n')).toEqual([{ n: 1 }])
  })

  test('without a service, starts PostgreSQL for as long as it is needed; a service waits that long', async () => {
    const joined = await joinEmbedded(dataDir)
    const pid = serverPid()
    const service = start()
    await joined.stop()
    await service
    expect(isAlive(pid)).toBe(false)
  })
})
