import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '#db/connect'
import { DatabaseTooNewError } from '#db/migrate'
import { createApp } from '../../../app'
import { captureLog } from '#testing/captured-log'
import { createClient } from '#testing/client'
import { testService, type TestService } from '#testing/service'
import { createTemporaryFolder } from '#testing/temporary-folder'
import { createAnswers } from '#api/http/response/answer'
import { createReadinessCheck, healthRoutes } from './health'

const answers = createAnswers('relata')
const ask = (app: ReturnType<typeof healthRoutes>, path = '/readyz') =>
  app.handle(new Request(`http://localhost${path}`))

describe('GET /readyz', () => {
  test('200 when the database can be used', async () => {
    const app = healthRoutes(answers, async () => undefined)
    expect([(await ask(app)).status, (await ask(app)).status]).toEqual([200, 200])
  })

  test('503 with an error body while the database does not answer, and probes at the same time share one check', async () => {
    let asked = 0
    const silent = Promise.withResolvers<undefined>()
    const app = healthRoutes(answers, () => (asked++, silent.promise), { patienceMs: 1 })
    for (const response of [await ask(app), await ask(app), await ask(app)]) {
      expect(response.status).toBe(503)
      expect(response.headers.has('retry-after')).toBe(true)
      expect(await response.json()).toEqual({
        status_code: 503,
        type: 'api_error',
        code: 'unavailable',
        message: 'PostgreSQL does not answer.',
      })
    }
    expect(asked).toBe(1)
    silent.resolve(undefined)
    await silent.promise
    expect((await ask(app)).status).toBe(200)
  })

  test('500 when the check itself is at fault', async () => {
    const log: string[] = []
    const app = healthRoutes(answers, () => Promise.reject(new Error('a bug')))
    expect((await captureLog(() => ask(app), log)).status).toBe(500)
    expect(log).toEqual([expect.stringContaining('a bug')])
  })
})

describe('GET /readyz is 503 with the reason', () => {
  let service: TestService
  beforeAll(async () => {
    service = await testService()
  })
  afterAll(() => service.close())

  /** The answer of a process whose connections begin now, with its log. */
  async function readiness({ url = service.url, ...options }: { url?: string; root?: string } = {}) {
    const db = connect(url, { max: 1 })
    const log: string[] = []
    const app = healthRoutes(answers, createReadinessCheck({ db, ...options }), { patienceMs: 60_000 })
    const response = await captureLog(() => ask(app), log)
    await captureLog(() => ask(app), log)
    await db.close()
    const { message } = await response.json()
    // The second check has the same reason, which is not logged again.
    expect([response.status, log]).toEqual(
      message === undefined ? [200, []] : [503, [expect.stringContaining(JSON.stringify(message).slice(1, -1))]],
    )
    return message
  }

  /** Runs the work with a setting of the database. */
  async function withSetting<T>(setting: string, value: string, work: () => Promise<T>): Promise<T> {
    const { sql } = service.db
    const [{ name } = {}] = await sql`select quote_ident(current_database()) as name`
    await sql.unsafe(`alter database ${name} set ${setting} = ${value}`)
    return work().finally(() => sql.unsafe(`alter database ${name} reset ${setting}`))
  }

  test('when the database cannot be reached, without its address', async () => {
    expect(await readiness({ url: 'postgres://u:p@127.0.0.1:1/d' })).toBe(
      'PostgreSQL cannot be reached (ECONNREFUSED).',
    )
  })

  test('when PostgreSQL refuses the connection, without its message', async () => {
    const url = Object.assign(new URL(service.url), { pathname: '/absent' }).href
    expect(await readiness({ url })).toBe('PostgreSQL refuses the readiness check (3D000); the log has its message.')
  })

  test('when the database lacks a migration', async () => {
    const { sql } = service.db
    const [newest] =
      await sql`delete from relata.migrations where name = (select max(name) from relata.migrations) returning *`
    expect(await readiness()).toBe(
      `The database lacks the migration ${newest?.name}; run "bun relata migrate", or start the service again.`,
    )
    await sql`insert into relata.migrations ${sql(newest ?? {})}`
    expect(await readiness()).toBeUndefined()
  })

  test('when the database is read-only', async () => {
    const message = await withSetting('default_transaction_read_only', 'on', () => readiness())
    expect(message).toBe('PostgreSQL is read-only: default_transaction_read_only is on.')
  })

  test('when PostgreSQL has no room for a file of 4 MB', async () => {
    expect(await withSetting('temp_file_limit', "'3MB'", () => readiness())).toContain('(53400)')
    expect(await withSetting('temp_file_limit', "'5MB'", () => readiness())).toBeUndefined()
  })

  test('when the installation lacks the reference or the console', async () => {
    const root = createTemporaryFolder()
    expect(await readiness({ root })).toStartWith('The folder docs/reference is missing')
    await Bun.write(join(root, 'docs/reference/README.md'), '')
    expect(await readiness({ root })).toStartWith('The console is not built; run "bun web/build.ts"')
    await Bun.write(join(root, 'web/dist/index.html'), '')
    expect(await readiness({ root })).toBeUndefined()
    rmSync(root, { recursive: true })
  })

  test('when a newer version has migrated the database. Then every other request is 503 as well, except /healthz', async () => {
    const superseded = new AbortController()
    const app = createApp({ ...service.appContext, superseded })
    const request = createClient(app, service.key)
    expect((await request('GET', '/v2/self')).status).toBe(200)
    await service.db.sql`insert into relata.migrations (name) values ('9999_newer')`
    const { status, body } = await captureLog(() => request('GET', '/readyz'))
    expect([status, body.message]).toEqual([503, expect.stringContaining('has the migration 9999_newer, which')])
    expect(superseded.signal.reason).toBeInstanceOf(DatabaseTooNewError)
    await service.db.sql`delete from relata.migrations where name = '9999_newer'`

    for (const path of [
      '/v2/self',
      '/nothing',
      '/sign-in',
      '/console/api/session',
      '/scim/v2/Users',
      '/openapi.json',
      '/assets/x',
    ]) {
      const { status, headers } = await request('GET', path)
      expect([path, status, headers.get('Retry-After')]).toEqual([path, 503, expect.stringMatching(/ GMT$/)])
    }
    expect((await request('POST', '/v2/tasks', { data: {} })).body.code).toBe('unavailable')
    expect((await request('GET', '/healthz')).status).toBe(200)
  })
})

test('GET /healthz is 200 also without the database', async () => {
  const app = healthRoutes(answers, () => Promise.reject(new Error('away')))
  expect((await ask(app, '/healthz')).status).toBe(200)
})
