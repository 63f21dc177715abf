import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '#db/embedded/cluster'
import { migrate } from '#db/migrate'
import { readMigrations } from '#db/read-migrations'
import { version } from '../package.json'
import { emptyTestDatabase, SECRET_KEY_SETTING, type TestDatabase } from './testing/database'
import { until } from './testing/until'

const folder = mkdtempSync(join(tmpdir(), 'relata main-'))
const running = new Set<Bun.Subprocess>()

chmodSync(folder, 0o755)
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGTERM')
    await child.exited
  }
  running.clear()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Started {
  readonly child: Bun.Subprocess
  readonly url: string
  /** Resolves with the output up to a line that contains the words, or up to its end. The line with the version is left out. */
  printed(words: string): Promise<string>
}

/** A server of one's own needs the key as a setting. */
const keyOf = (settings: Record<string, string>) => (settings.DATABASE_URL === undefined ? {} : SECRET_KEY_SETTING)

/** Starts the service with `bun start` and only these settings. */
async function start(settings: Record<string, string>): Promise<Started> {
  const port = settings.PORT ?? String(await findFreePort(0))
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'main.ts')], {
    cwd: '/',
    env: { PATH: process.env.PATH, RELATA_DATA_DIR: join(folder, 'data'), PORT: port, ...keyOf(settings), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let text = ''
  const lines = () => text.replace(`Relata ${version}\n`, '')
  let wake = () => {}
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) {
      text += Buffer.from(chunk).toString()
      wake()
    }
  }
  const ended = Promise.all([collect(child.stdout), collect(child.stderr)])
  const printed = async (words: string) => {
    while (!text.includes(words)) {
      const isOver = await Promise.race([ended.then(() => true), new Promise<void>((resolve) => (wake = resolve))])
      if (isOver) break
    }
    return lines()
  }
  return { child, url: `http://127.0.0.1:${port}`, printed }
}

const LISTENS = 'Relata listens on'

describe('bun start', () => {
  test('starts with an empty folder, prints a key once, serves, stops in order and starts again', async () => {
    const first = await start({})
    const output = await first.printed(LISTENS)
    const key = /API key: +([0-9a-f]{64})$/m.exec(output)?.[1]
    expect(output).toMatch(/Account: +admin@relata.local$/m)
    expect(output).toMatch(/Password: +\S{20}$/m)
    expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
    const self = await fetch(`${first.url}/v2/self`, { headers: { Authorization: `Bearer ${key}` } })
    expect(await self.json()).toMatchObject({ active: true, workspace_slug: 'my-workspace', iss: 'relata.com' })

    // Ctrl-C sends the signal to this process and to `bun start`, which forwards it as a second one.
    first.child.kill('SIGINT')
    first.child.kill('SIGINT')
    expect(await first.child.exited).toBe(0)
    expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(false)

    const second = await start({})
    expect(await second.printed(LISTENS)).not.toContain('API key')
    const again = await fetch(`${second.url}/v2/self`, { headers: { Authorization: `Bearer ${key}` } })
    expect(await again.json()).toMatchObject({ active: true })
    const long = await fetch(`${second.url}/v2/self?${'x'.repeat(20_000)}`)
    expect([long.status, (await long.json()).code]).toEqual([414, 'validation_type'])
  })

  test('refuses to run twice on one folder', async () => {
    const first = await start({})
    await first.printed(LISTENS)
    const second = await start({})
    expect(await second.printed('stop it first')).toBe(
      `Relata already runs on ${join(folder, 'data')} (process ${first.child.pid}); stop it first, or set RELATA_DATA_DIR and PORT for a second one.\n`,
    )
    expect(await second.child.exited).toBe(1)
  })

  test('several processes on one new database make one workspace', async () => {
    const database = await emptyTestDatabase()
    const started = await Promise.all([1, 2, 3].map(() => start({ DATABASE_URL: database.url })))
    const outputs = await Promise.all(started.map(({ printed }) => printed(LISTENS)))
    expect(outputs.filter((output) => output.includes('API key'))).toHaveLength(1)
    // Their local addresses have different ports, which does not make the database a copy.
    expect(outputs.join('\n')).not.toContain('are held')
    // A process is not ready while a busy machine delays one of its checks.
    for (const { url } of started) await until(async () => (await fetch(`${url}/readyz`)).status === 200)
    for (const { child } of started) {
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    }
    await database.drop()
  })

  test('takes no requests after a newer version has migrated the database, says so, and stops in order', async () => {
    const database = await emptyTestDatabase()
    const { child, url, printed } = await start({ DATABASE_URL: database.url })
    const key = /API key: +(\S+)/.exec(await printed(LISTENS))?.[1]
    const headers = { Authorization: `Bearer ${key}` }
    const statusOf = async (path: string) => (await fetch(url + path, { headers })).status
    expect([await statusOf('/v2/self'), await statusOf('/readyz')]).toEqual([200, 200])
    const stream = await fetch(`${url}/v2/events/stream`, { headers })
    expect(stream.status).toBe(200)
    const newer = { name: '9999_newer', text: 'create table relata.newer (id int);' }
    await migrate(database.db, { migrations: [...readMigrations(), newer] })
    const output = await printed('This process takes no requests any more')
    expect(output).toContain('The database has the migration 9999_newer, which this version of Relata does not know')
    expect([await statusOf('/v2/self'), await statusOf('/objects')]).toEqual([503, 503])
    expect([await statusOf('/readyz'), await statusOf('/healthz')]).toEqual([503, 200])
    // An open stream ends.
    await stream.text()
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(await printed('the end')).not.toContain('could not be stopped')
    await database.drop()
  })

  test('leaves the first account to the browser when the settings say so', async () => {
    const database = await emptyTestDatabase()
    const settings = { DATABASE_URL: database.url, RELATA_FIRST_START: 'browser' }
    const first = await start(settings)
    const output = await first.printed(LISTENS)
    expect([output.includes('create the first'), output.includes('API key')]).toEqual([true, false])
    const person = { email_address: 'ada@example.com', password: 'correct horse battery' }
    const body = JSON.stringify({ ...person, first_name: 'Ada', last_name: '', workspace_name: 'Engines' })
    const made = await fetch(`${first.url}/console/api/first-start`, { method: 'POST', body })
    const headers = { Cookie: made.headers.get('set-cookie') ?? '' }
    const sessions = await (await fetch(`${first.url}/console/api/sessions`, { headers })).json()
    expect(sessions).toMatchObject({ data: [{ address: '127.0.0.1', is_current: true }] })
    first.child.kill('SIGTERM')
    await first.child.exited
    expect(await (await start({ DATABASE_URL: database.url })).printed(LISTENS)).not.toMatch(/API key|create the first/)
    for (const child of running) child.kill('SIGTERM')
    await Promise.all([...running].map((child) => child.exited))
    await database.drop()
  })

  test('finishes a running request when it gets a signal to stop', async () => {
    const { child, url, printed } = await start({ RELATA_DATA_DIR: join(folder, 'finishing') })
    const key = /API key: +(\S+)/.exec(await printed(LISTENS))?.[1]
    const body = JSON.stringify({ data: { values: { name: 'Ada Lovelace' } } })
    const answer = Promise.withResolvers<string>()
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(url).port),
      socket: { data: (_, chunk) => answer.resolve(chunk.toString()), close: () => answer.resolve('closed') },
    })
    const head = ['POST /v2/objects/people/records HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`]
    socket.write([...head, `Content-Length: ${body.length}`, '', body.slice(0, 9)].join('\r\n'))
    // The service answers this request after it has read the half request above.
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    child.kill('SIGTERM')
    await printed('Stopping')
    socket.write(body.slice(9))
    expect(await answer.promise).toStartWith('HTTP/1.1 200 OK')
    expect(await child.exited).toBe(0)
  })

  test.each([
    [{ PORT: 'x' }, 'PORT must be a whole number from 1 to 65535, not "x".\n'],
    [{ HOST: '192.0.2.1' }, 'HOST 192.0.2.1 is not an address of this machine.\n'],
    [
      { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' },
      'PostgreSQL cannot be reached at 127.0.0.1:1; see that it runs and DATABASE_URL is right.\n',
    ],
    [
      { DATABASE_URL: 'postgres://u:p@relata.invalid/d' },
      'The host relata.invalid of DATABASE_URL is not known; see that its name is right.\n',
    ],
  ])('with %j ends with a message', async (settings, sentence) => {
    const { child, printed } = await start(settings)
    expect(await child.exited).toBe(1)
    expect(await printed('the end')).toEndWith(sentence)
  })

  describe('on a database', () => {
    let database: TestDatabase
    const role = `relata_test_${crypto.randomUUID().slice(0, 8)}`
    beforeAll(async () => {
      database = await emptyTestDatabase()
      await database.db.sql.unsafe(`create role ${role} login password 'right'`)
    })
    afterAll(async () => {
      await database.db.sql.unsafe(`drop owned by ${role}`)
      await database.db.sql.unsafe(`drop role ${role}`)
      await database.drop()
    })

    /** The address of the database for the role, with other members where given. */
    const urlWith = (changes: Partial<Record<'username' | 'password' | 'pathname', string>> = {}): string =>
      Object.assign(new URL(database.url), { username: role, password: 'right', ...changes }).href

    const outputOf = async (url: string) => {
      const { child, printed } = await start({ DATABASE_URL: url })
      const output = await printed(LISTENS)
      expect(await child.exited).toBe(1)
      expect(output.trim().split('\n')).toHaveLength(1)
      expect(output).not.toContain('right')
      return output
    }

    test('ends with a sentence for a wrong password, another database and missing rights', async () => {
      expect(await outputOf(urlWith({ password: 'wrong' }))).toContain('refuses the user or password of DATABASE_URL')
      expect(await outputOf(urlWith({ pathname: '/absent' }))).toContain(
        'has no database "absent"; make it with createdb',
      )
      expect(await outputOf(urlWith())).toContain(`The role "${role}" may not create schemas`)
    })

    test('ends with a sentence for a read-only database, and for one that takes no connections', async () => {
      const { sql } = database.db
      const [{ name } = {}] = await sql`select current_database() as name`
      await sql.unsafe(`grant create on database ${name} to ${role}`)
      await sql.unsafe(`alter role ${role} set default_transaction_read_only = on`)
      expect(await outputOf(urlWith())).toContain('is read-only (default_transaction_read_only is on)')
      await sql.unsafe(`alter role ${role} reset default_transaction_read_only`)
      await sql.unsafe(`alter role ${role} connection limit 0`)
      expect(await outputOf(urlWith())).toContain('takes no connections now: too many connections for role')
    })

    test('ends with a sentence for a database of a newer version', async () => {
      await migrate(database.db)
      await database.db.sql`insert into relata.migrations (name) values ('9999_newer')`
      expect(await outputOf(database.url)).toStartWith('The database has the migration 9999_newer, which')
    })
  })

  test('ends with a message when the port is in use, and stops its PostgreSQL', async () => {
    const other = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const { child, printed } = await start({ PORT: String(other.port) })
    expect(await child.exited).toBe(1)
    expect(await printed('the end')).toBe(`Port ${other.port} is in use by another program; set PORT to another one.\n`)
    expect(existsSync(join(folder, 'data/postgres/postmaster.pid'))).toBe(false)
    other.stop(true)
  })
})
