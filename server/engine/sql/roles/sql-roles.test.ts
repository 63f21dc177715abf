/** The role of a workspace alone keeps its SQL within the workspace: these statements pass no other check. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect } from '#db/connect'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { errorCodeOf } from '#base/logging/log-error'
import { captureLog } from '#testing/captured-log'
import { useTestService } from '#testing/use-service'
import { createSqlRunner, type SqlConnection, type SqlRunner } from '#engine/sql/run/sql-runner'
import { runRoleStatement } from '#engine/sql/run/open-rows'

let runner: SqlRunner
// Before the service is closed.
afterAll(() => runner.close())
const service = useTestService()
let model: DataModel
let other: DataModel
let people: string
let othersPeople: string

beforeAll(async () => {
  runner = createSqlRunner({ db: service.db, url: service.url, connections: 2, timeoutMs: 20_000 })
  const { models } = service.appContext
  model = await models.get(service.workspaceId)
  other = await models.get((await service.anotherWorkspace()).workspaceId)
  people = getObject(model, 'people').table
  othersPeople = getObject(other, 'people').table
})

/** Runs texts on one connection, as the simple protocol does: each may have several statements. */
async function onRole<T>(work: (connection: SqlConnection) => Promise<T>, of: DataModel = model): Promise<T> {
  const connection = await runner.connect({ model: of })
  try {
    return await work(connection)
  } finally {
    connection.run.end()
    connection.release(true)
  }
}

const codeOf = (text: string): Promise<string | undefined> =>
  onRole(({ sql }) => sql.unsafe(text).then(() => undefined, errorCodeOf))

const runOn = (of: SqlRunner, text: string, inModel = model) =>
  runRoleStatement({ model: inModel }, of, { text, parameters: [], toCallerPosition: () => 1 }, async ({ sql }) => [
    ...(await sql.unsafe(text)),
  ])

const nameOfRole = async () => String((await runOn(runner, 'select current_user as name'))[0]?.name)

const SETTINGS = `
  select current_setting('statement_timeout') as timeout, current_setting('search_path') as path,
    current_setting('default_transaction_read_only') as read_only, current_user = session_user as is_same_user`

const DENIED = '42501'
const READ_ONLY = '25006'

describe('the role of a workspace', () => {
  test('reads the tables of its workspace', async () => {
    expect(await onRole(({ sql }) => sql.unsafe(`select count(*) as n from ${people}`).then(([row]) => row?.n))).toBe(
      '0',
    )
  })

  test.each([
    ['another workspace', () => `select * from ${othersPeople}`],
    ['the control tables', () => 'select * from relata.workspaces'],
    ['functions of the control schema', () => `select relata.reserve_requests('a', 'read', 0, 1, 1, 0)`],
    ['history', () => `select * from ${model.schema}.history`],
    ['unique values', () => `select * from ${model.schema}.uniques`],
    ['a file of the server', () => `select pg_read_file('/etc/passwd')`],
    ['a folder of the server', () => `select pg_ls_dir('.')`],
    ['passwords', () => 'select * from pg_authid'],
    ['a text as SQL', () => `select query_to_xml('select * from ${othersPeople}', true, true, '')`],
    ['a file by copy', () => `copy ${people} to '/tmp/people.csv'`],
    ['a program', () => `copy ${people} to program 'id'`],
    ['a large object', () => `select lo_import('/etc/passwd')`],
    ['another role', () => 'set role postgres'],
    ['another role by set_config', () => `select set_config('role', 'postgres', false)`],
    [
      'another session',
      () =>
        'select pg_terminate_backend(pg_backend_pid()) from pg_roles where false; set session authorization postgres',
    ],
    ['the settings of the server', () => 'alter system set work_mem = 1'],
    ['locks of a table', () => `begin; lock table ${people} in access exclusive mode`],
  ])('42501 for %s', async (_, text) => {
    expect(await codeOf(text())).toBe(DENIED)
  })

  test.each([
    ['a temporary table', () => 'create temporary table t (a int)'],
    ['a table', () => 'create table public.t (a int)'],
    ['rows', () => `insert into ${people} (id) values (gen_random_uuid())`],
    ['a deletion', () => `delete from ${people}`],
    ['a row lock', () => `select * from ${people} for update`],
    ['its own password', () => `alter role current_user password 'x'`],
    ['a writing block', () => `do $$ begin create temporary table t (a int); end $$`],
  ])('an error for writing: %s', async (_, text) => {
    expect([READ_ONLY, DENIED]).toContain(String(await codeOf(text())))
  })

  test('42501 for writing after the session was made writable', async () => {
    const writable = 'set default_transaction_read_only = off'
    for (const text of [`delete from ${people}`, `insert into ${othersPeople} (id) values (gen_random_uuid())`])
      expect(
        await onRole(({ sql }) =>
          sql
            .unsafe(writable)
            .then(() => sql.unsafe(text))
            .then(() => '', errorCodeOf),
        ),
      ).toBe(DENIED)
  })

  test('what a statement changed is undone before the next one', async () => {
    const changed = `select set_config('statement_timeout', '0', false), set_config('search_path', 'public', false),
      set_config('default_transaction_read_only', 'off', false), pg_advisory_lock(1)`
    await onRole(({ sql }) => sql.unsafe(changed))
    const [row] = await onRole(({ sql }) => sql.unsafe(SETTINGS))
    expect({ ...row }).toEqual({ timeout: '20s', path: 'pg_catalog', read_only: 'on', is_same_user: 't' })
    const locks = `select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`
    expect(await onRole(({ sql }) => sql.unsafe(locks).then((rows) => rows.length))).toBe(0)
  })

  test('owns nothing and may do nothing else', async () => {
    const [role] = await service.db.sql`
      select r.rolsuper, r.rolinherit, r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls, r.rolcanlogin,
        (select count(*)::int from pg_auth_members m where m.member = r.oid) as memberships,
        (select count(*)::int from pg_class c where c.relowner = r.oid) as owned
      from pg_roles r where r.rolname = ${await nameOfRole()}`
    expect(role).toEqual({
      rolsuper: false,
      rolinherit: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolreplication: false,
      rolbypassrls: false,
      rolcanlogin: true,
      memberships: 0,
      owned: 0,
    })
  })
})

describe('making roles', () => {
  const anotherRunner = (options: object = {}) =>
    createSqlRunner({ db: service.db, url: service.url, connections: 1, timeoutMs: 20_000, ...options })

  test('several processes at once make one role', async () => {
    const fresh = await service.appContext.models.get((await service.anotherWorkspace()).workspaceId)
    const runners = Array.from({ length: 4 }, () => anotherRunner())
    const connections = await Promise.all(runners.map((each) => each.connect({ model: fresh })))
    const names = await Promise.all(connections.map(({ sql }) => sql.unsafe('select current_user as name')))
    expect(new Set(names.map(([row]) => row?.name)).size).toBe(1)
    for (const { run } of connections) run.end()
    await Promise.all(runners.map((each) => each.close()))
  })

  test('a role with another password gets its own again', async () => {
    await service.db.sql.unsafe(`alter role "${await nameOfRole()}" password 'another'`)
    const another = anotherRunner()
    expect((await runOn(another, 'select 1 as n')).map(({ n }) => n)).toEqual(['1'])
    await another.close()
  })

  test('a role that was dropped is made again, also by a process that is connected as it', async () => {
    const connected = anotherRunner()
    const count = `select count(*) as n, current_user as role from ${othersPeople}`
    const [before] = await runOn(connected, count, other)
    const name = String(before?.role)
    await service.db.sql.unsafe(`drop owned by "${name}"`)
    await service.db.sql.unsafe(`drop role "${name}"`)
    expect((await runOn(connected, count, other)).map(({ role }) => role)).toEqual([name])
    await connected.close()
  })

  test('a table of a newer data model can be read, also by a process that made the role before', async () => {
    const things = { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' }
    await service.request('POST', '/v2/objects', { data: things })
    const newer = await service.appContext.models.reload(service.workspaceId)
    const { table } = getObject(newer, 'things')
    expect(await onRole(({ sql }) => sql.unsafe(`select * from ${table}`).then((rows) => rows.length), newer)).toBe(0)
  })

  test('503 when the service may not create roles', async () => {
    const name = `relata_sql_test_${crypto.randomUUID()}`
    await service.db.sql.unsafe(`create role "${name}" login password 'secret'`)
    await service.db.sql.unsafe(`grant usage on schema relata to "${name}"`)
    await service.db.sql.unsafe(`grant select on relata.workspaces to "${name}"`)
    const url = new URL(service.url)
    Object.assign(url, { username: name, password: 'secret' })
    const db = connect(url.href, { max: 1, secrets: service.db.secrets })
    const limited = createSqlRunner({ db, url: url.href, connections: 1, timeoutMs: 1000 })
    const unmade = await service.appContext.models.get((await service.anotherWorkspace()).workspaceId)
    const error = await captureLog(() => limited.connect({ model: unmade }).catch((thrown: unknown) => thrown))
    expect(error).toMatchObject({ status: 503, code: 'unavailable', message: expect.stringContaining('createrole') })
    await limited.close()
    await db.close()
    await service.db.sql.unsafe(`drop owned by "${name}"`)
    await service.db.sql.unsafe(`drop role "${name}"`)
  })
})

test('the parameters of the address do not replace the settings', async () => {
  const parameters = 'Statement_Timeout=0&default_transaction_read_only=off&role=postgres'
  const url = `${service.url}${service.url.includes('?') ? '&' : '?'}${parameters}`
  const another = createSqlRunner({ db: service.db, url, connections: 1, timeoutMs: 20_000 })
  const [row] = await runOn(another, SETTINGS)
  expect({ ...row }).toEqual({ timeout: '20s', path: 'pg_catalog', read_only: 'on', is_same_user: 't' })
  await another.close()
})
