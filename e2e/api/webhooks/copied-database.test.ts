/** A service on a copy of a database sends nothing until a decision; then what a move sends, and what a copy does not. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { dataFolder } from '../../support/service/data-folder'
import { copyDatabase, freshDatabase, openReader, type FreshDatabase } from '../../support/service/database'
import { keyIn, type RunningProcess, startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { answer, listIdOf, startReceiver, type Receiver } from './receivers'

const ROOT = join(import.meta.dir, '../../..')
const HELD = 'Webhooks, emails and fetches of videos are held'
const RELEASED = 'Nothing is held'
const AT_ORIGINAL = { RELATA_BASE_URL: 'https://crm.example.com' }
const AT_COPY = { RELATA_BASE_URL: 'https://staging.example.com' }

const databases: FreshDatabase[] = []
const running = new Set<RunningProcess>()
let original: FreshDatabase
let receiver: Receiver
let key: string
/** What the receiver answers. */
let status = 500
/** The list whose event waits for its second attempt in the original and its copies. */
let waitingList: string

beforeAll(async () => {
  receiver = await startReceiver((socket) => answer(socket, status))
  original = await freshDatabase()
  databases.push(original)
  const first = await start(original, AT_ORIGINAL)
  key = keyIn(first.output())
  const target_url = `http://127.0.0.1:${receiver.port}/hook`
  await call(first, 'POST', '/v2/webhooks', {
    target_url,
    subscriptions: [{ event_type: 'list.created', filter: null }],
  })
  waitingList = await createList(first, 'waiting')
  const [delivery] = await waitForDeliveries(original, 'attempts = 1')
  expect(delivery?.status).toBe('waiting')
  await stop(first)
  status = 200
})

afterAll(async () => {
  for (const process of running) await process.kill()
  for (const database of databases) await database.drop()
  receiver.close()
})

async function start(database: FreshDatabase, settings: Readonly<Record<string, string>>): Promise<RunningProcess> {
  const fixed = { RELATA_ALLOW_PRIVATE_TARGETS: '1', RELATA_METRICS: '1', DATABASE_URL: database.url }
  const process = await startProcess({ ...fixed, ...settings })
  running.add(process)
  return process
}

async function stop(process: RunningProcess): Promise<void> {
  running.delete(process)
  expect(await process.stop()).toBe(0)
}

/** Copies the original. The second attempt of its delivery is due in the copy. */
async function copy(): Promise<FreshDatabase> {
  const database = await copyDatabase(original.url)
  databases.push(database)
  await read(database, (sql) => sql`update relata.deliveries set due_at = created_at where due_at is not null`)
  await read(database, (sql) => sql`update relata.webhooks set due_at = now()`)
  return database
}

const read = <T>({ url }: FreshDatabase, work: (sql: ReturnType<typeof openReader>) => PromiseLike<T>): Promise<T> => {
  const reader = openReader(url)
  return Promise.resolve(work(reader)).finally(() => reader.end())
}

async function call({ url }: RunningProcess, method: string, path: string, data?: object) {
  const response = await fetch(url + path, {
    method,
    headers: { Authorization: `Bearer ${key}` },
    ...(data !== undefined && { body: JSON.stringify({ data }) }),
  })
  expect([path, response.status]).toEqual([path, 200])
  return response.json()
}

async function createList(process: RunningProcess, slug: string): Promise<string> {
  const access = { workspace_access: 'full-access', workspace_member_access: [] }
  const list = { name: slug, api_slug: slug, parent_object: 'people', ...access }
  return (await call(process, 'POST', '/v2/lists', list)).data.id.list_id
}

type Delivery = { status: string; list_id: string }

/** Polls until a delivery fulfils the condition, and returns those that do. */
async function waitForDeliveries(database: FreshDatabase, condition: string): Promise<readonly Delivery[]> {
  let found: readonly Delivery[] = []
  const query = `select status, list_id from relata.deliveries where ${condition}`
  await until(async () => {
    found = await read(database, (sql) => sql.unsafe<Delivery[]>(query))
    return found.length > 0
  })
  return found
}

/** Runs a command of `bun relata`. */
async function command(database: FreshDatabase, ...words: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([process.execPath, 'server/run/cli/main.ts', ...words], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text())
  return { code: await child.exited, output }
}

const metric = async ({ url }: RunningProcess) =>
  /^relata_held (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]

/** The lists of the requests that the receiver got since then. */
const listsSince = (count: number) => receiver.received.slice(count).map(listIdOf)

test('a restart and another process are no copy', async () => {
  const again = await start(original, AT_ORIGINAL)
  const another = await start(original, AT_ORIGINAL)
  expect(again.output() + another.output()).not.toContain(HELD)
  expect(await metric(again)).toBe('0')
  await until(() => listsSince(1).includes(waitingList))
  await stop(again)
  await stop(another)
  // For the copies of the next tests.
  await read(
    original,
    (sql) => sql`update relata.deliveries set status = 'waiting', due_at = now(), finished_at = null`,
  )
})

test('a copy serves requests and sends nothing until it is declared moved; then everything that waited', async () => {
  const before = receiver.received.length
  const database = await copy()
  const processes = [await start(database, AT_COPY), await start(database, AT_COPY)] as const
  for (const process of processes) {
    expect(process.output()).toContain(
      `${HELD}: the database serves https://crm.example.com, and a service was started at https://staging.example.com.`,
    )
    expect((await fetch(`${process.url}/readyz`)).status).toBe(200)
    expect(await metric(process)).toBe('1')
  }
  const newList = await createList(processes[0], 'created_while_held')
  await waitForDeliveries(database, `list_id = '${newList}'`)
  expect(await command(database, 'installation', 'show')).toEqual({ code: 0, output: expect.stringContaining(HELD) })

  expect(await command(database, 'installation', 'move')).toMatchObject({ code: 0 })
  await until(() => listsSince(before).length >= 2)
  await until(() => processes.every((process) => process.output().includes(RELEASED)))
  expect(listsSince(before).toSorted()).toEqual([waitingList, newList].toSorted())
  // No attempt was made before the decision, at the time of the audit log.
  const early = await read(
    database,
    (sql) => sql`
      select from relata.delivery_attempts a join relata.deliveries d on d.id = a.delivery_id, relata.audit_log l
      where l.action = 'installation.moved' and a.at < l.created_at and (a.number > 2 or d.list_id = ${newList})`,
  )
  expect(early).toHaveLength(0)
  expect(await Promise.all(processes.map(metric))).toEqual(['0', '0'])
  expect((await command(database, 'installation', 'move')).code).toBe(1)

  for (const process of processes) await stop(process)
  const restarted = await start(database, AT_COPY)
  expect(restarted.output()).not.toContain(HELD)
  await stop(restarted)
})

test('with RELATA_ON_COPY=copy, nothing of the original is ever sent, and later events are', async () => {
  const before = receiver.received.length
  const database = await copy()
  const process = await start(database, { ...AT_COPY, RELATA_ON_COPY: 'copy' })
  expect(process.output()).toContain(
    'The database is a copy: what waited is dropped, and all webhooks are inactive (RELATA_ON_COPY=copy). It serves https://staging.example.com now.',
  )
  expect(process.output()).not.toContain(HELD)
  const { data } = await call(process, 'GET', '/v2/webhooks')
  expect(data).toMatchObject([{ status: 'inactive' }])
  await createList(process, 'while_inactive')
  await until(async () => (await read(database, (sql) => sql`select from relata.outbox`)).length === 0)
  const subscriptions = [{ event_type: 'list.created', filter: null }]
  await call(process, 'PATCH', `/v2/webhooks/${data[0].id.webhook_id}`, { subscriptions })
  const later = await createList(process, 'later')
  await until(() => listsSince(before).length > 0)
  await waitForDeliveries(database, `list_id = '${later}' and status = 'succeeded'`)
  expect(listsSince(before)).toEqual([later])
  expect((await read(database, (sql) => sql`select from relata.deliveries where due_at is not null`)).length).toBe(0)
  await stop(process)
})

test('a copied data folder is held at the default address; a moved one is not', async () => {
  const folder = dataFolder()
  const copied = dataFolder()
  const startIn = async (path: string) => {
    const process = await startProcess({ RELATA_DATA_DIR: path })
    running.add(process)
    await stop(process)
    return process.output()
  }
  expect(await startIn(join(folder.path, 'data'))).not.toContain(HELD)
  renameSync(join(folder.path, 'data'), join(folder.path, 'moved'))
  expect(await startIn(join(folder.path, 'moved'))).not.toContain(HELD)
  expect(await Bun.spawn(['cp', '-a', join(folder.path, 'moved'), join(copied.path, 'data')]).exited).toBe(0)
  expect(await startIn(join(copied.path, 'data'))).toContain(
    `${HELD}: the database serves a local address, and a service was started on another server, or on a copy of the data.`,
  )
  folder.remove()
  copied.remove()
})
