/** A workspace moves from one service to another. docs/moving-between-services.md. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Transaction } from '#db/connect'
import { beginMove, cancelMove } from '#api/workspace-moves/moves'
import { requestFetches, storeUpload } from '#crm/record-pictures/store'
import { newId } from '#base/ids'
import { getObject } from '#engine/data-model/find'
import { signUnsubscribe } from '#crm/email/unsubscribing'
import { isModelCurrent } from '#engine/storage/preconditions'
import { appendToOutbox } from '#engine/outbox/outbox'
import { takeDue } from '#engine/queue'
import { digestQueue } from '#crm/email/digests/send-digests'
import { webhookRow } from '#events/webhooks/delivery'
import { runCommandLine } from '#run/cli/run'
import { SECRET_KEY_SETTING } from '#testing/database'
import { startCommand } from '#testing/child-process'
import { type Person, signedIn } from '#testing/people'
import { requestErasure, rollupsOf } from '#testing/rollups'
import { until } from '#testing/until'
import type { TestService } from '#testing/service'
import { useTestService } from '#testing/use-service'
import { fillAttachments } from '#testing/whole-workspace/fill-attachments'
import { archiveParts, fillModel } from '#testing/whole-workspace/fill-model'
import { fillRecords } from '#testing/whole-workspace/fill-records'
import { readApi } from '#testing/whole-workspace/read-api'

const service = useTestService()
const other = useTestService()
const folder = mkdtempSync(join(tmpdir(), 'relata-move-test-'))
const file = join(folder, 'settings')
const ADDRESS = 'https://other.example.com'
let address: string
let person: Person
/** The path of a link with which a recipient of emails unsubscribes. */
let link: string
beforeAll(async () => {
  await fillModel(service)
  const records = await fillRecords(service)
  await archiveParts(service)
  await fillAttachments(service, records)
  await service.events()
  person = await signedIn(service)
  link = await signUnsubscribe(service.db, { workspaceId: service.workspaceId, address: 'grace@example.com' })
  // The slug of the moved workspace is free.
  await other.db.sql`update relata.workspaces set slug = 'other'`
  address = `/v2/objects/people/records/${records.ada}`
})
afterAll(() => rmSync(folder, { recursive: true }))

const settingsOf = ({ url, filesFolder }: TestService) => ({
  ...SECRET_KEY_SETTING,
  DATABASE_URL: url,
  RELATA_FILES_DIR: filesFolder,
})

/** `settings` replace those of the other service. */
async function moveTo(words: readonly string[], settings: Record<string, string> = {}, slug = 'workspace-1') {
  const target = { ...settingsOf(other), RELATA_BASE_URL: ADDRESS, ...settings }
  writeFileSync(
    file,
    Object.entries(target)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  const lines: string[] = []
  const context = { print: (line: string) => lines.push(line), printError: (line: string) => lines.push(line) }
  const all = ['workspace', 'move-to', slug, '--folder', folder, ...words]
  const exitCode = await runCommandLine(all, settingsOf(service), context)
  return { exitCode, lines }
}
const start = () => moveTo(['--settings', file])

const open = ({ app }: TestService, method: string) =>
  app.handle(new Request(`http://localhost${link}`, { method, redirect: 'manual' }))

const write = () => service.request('POST', '/v2/objects/people/records', { data: { values: {} } })

/** Whether a statement waits for a lock. */
async function waits(): Promise<boolean> {
  const waiting = await service.db.sql`
    select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  return waiting.length > 0
}

/** The process has heard of the change when its next request has the result. */
async function untilStatus(ask: () => Promise<{ status: number }>, status: number): Promise<void> {
  while ((await ask()).status !== status);
}

describe('refuses', () => {
  test.each([
    [['--settings', '/does/not/exist'], {}, 'cannot be read: ENOENT'],
    [[], {}, 'Give --settings or --cancel.'],
    [['--settings', file], { RELATA_BASE_URL: '' }, 'has no RELATA_BASE_URL'],
    [['--cancel'], {}, 'The workspace workspace-1 is not moving.'],
  ])('%j with %j', async (words, settings, line) => {
    const { exitCode, lines } = await moveTo(words, settings)
    expect([exitCode > 0, lines.join('\n')]).toEqual([true, expect.stringContaining(line)])
  })

  test('the same files and the same database', async () => {
    const { lines: files } = await moveTo(['--settings', file], { RELATA_FILES_DIR: service.filesFolder })
    expect(files[0]).toContain('Both services store files at the same place')
    const { lines: database } = await moveTo(['--settings', file], { DATABASE_URL: service.url })
    expect(database).toEqual(['The other service has the same database.'])
  })

  test('a slug that is taken, and the key of another service', async () => {
    await other.db.sql`update relata.workspaces set slug = 'workspace-1'`
    expect((await start()).lines).toEqual([
      'The other service has another workspace workspace-1, which may be deleted.',
    ])
    await other.db.sql`update relata.workspaces set slug = 'other'`
    const { exitCode } = await moveTo(['--settings', file], {
      RELATA_SECRET_KEY: Buffer.alloc(32, 'x').toString('base64'),
    })
    expect(exitCode).toBe(1)
    expect((await write()).status).toBe(200)
  })
})

describe('while a workspace moves', () => {
  let scim: string
  beforeAll(async () => {
    scim = await service.keyWith(['user_management:read-write'])
    await service.db.sql`
      insert into relata.inboxes (workspace_id, member_id) values (${service.workspaceId}, ${service.member.id})
      on conflict (workspace_id, member_id) do nothing`
    await beginMove(service.db, service.workspaceId, ADDRESS)
    await untilStatus(write, 503)
  })
  afterAll(async () => {
    expect(await cancelMove(service.db, service.workspaceId)).toBe(true)
    await untilStatus(write, 200)
    expect(await cancelMove(service.db, service.workspaceId)).toBe(false)
  })

  test('200 for reads, 503 for writes of keys, of people at the console, and of SCIM', async () => {
    const refused = await write()
    expect([refused.status, refused.body.code, refused.headers.has('retry-after')]).toEqual([503, 'unavailable', true])
    expect((await service.request('GET', address)).status).toBe(200)
    expect((await service.request('POST', '/v2/objects/people/records/query', {})).status).toBe(200)
    expect((await service.request('GET', '/scim/v2/Users', undefined, { key: scim })).status).toBe(200)
    expect((await service.request('POST', '/scim/v2/Users', {}, { key: scim })).status).toBe(503)
    expect((await person.ask('GET', '/console/v2/objects', undefined, service.workspaceId)).status).toBe(200)
    const path = `/console/api/workspaces/${service.workspaceId}`
    expect((await person.ask('PATCH', path, { name: 'New' })).status).toBe(503)
    expect((await person.ask('POST', '/console/v2/objects', {}, service.workspaceId)).status).toBe(503)
    expect((await person.ask('DELETE', path, { name: 'Workspace 1' })).status).toBe(503)
    expect((await open(service, 'POST')).status).toBe(503)
  })

  test('no statement of a write that had begun before finds its version of the data model or appends events', async () => {
    const { db, workspaceId } = service
    const [model] = await db.sql<{ version: number }[]>`select version from w_1.model`
    expect(model?.version).toBeLessThan(0)
    expect(await isModelCurrent(db.sql, await service.appContext.models.reload(workspaceId))).toBe(false)
    const origin = { workspaceId, actor: 1, at: service.appContext.now() }
    const event = { event_type: 'record.created', id: {} } as never // only its JSON is stored
    await expect(appendToOutbox(db.sql, origin, [event])).rejects.toMatchObject({ code: '57P03' })
    const refused = { code: '57P03' }
    const changed = db.sql`update relata.views set title = 'x' where workspace_id = ${workspaceId}`
    await expect(changed.execute()).rejects.toMatchObject(refused)
    await expect(db.sql`delete from relata.views where workspace_id = ${workspaceId}`.execute()).rejects.toMatchObject(
      refused,
    )
    await expect(
      db.sql`update relata.workspaces set name = 'x' where id = ${workspaceId}`.execute(),
    ).rejects.toMatchObject(refused)
  })

  test('pictures of records are requested by reads, and cannot be uploaded', async () => {
    const { db, workspaceId, appContext } = service
    const people = getObject(await appContext.models.reload(workspaceId), 'people')
    const [key, recordId] = [{ workspaceId, objectId: people.id }, newId()]
    await requestFetches(db.sql, key, [{ recordId, sourcesHash: Buffer.alloc(32) }], appContext.now())
    const stored = db.sql.begin((tx) => storeUpload(tx, key, newId(), Buffer.alloc(32)))
    await expect(stored).rejects.toMatchObject({ code: '57P03' })
    await db.sql`delete from relata.record_pictures where record_id = ${recordId}`
  })

  test('no worker takes work', async () => {
    const { db, workspaceId, member, appContext } = service
    await db.sql`
      update relata.inboxes set due_at = now() - interval '1 hour'
      where workspace_id = ${workspaceId} and member_id = ${member.id}`
    expect(await takeDue(db, digestQueue, { now: appContext.now(), limit: 10 })).toEqual([])
    await db.sql`update relata.inboxes set due_at = null where workspace_id = ${workspaceId}`
  })

  test('a move to another address is refused', async () => {
    const { exitCode, lines } = await moveTo(['--settings', file], { RELATA_BASE_URL: 'https://third.example.com' })
    expect([exitCode, lines[0]]).toEqual([1, expect.stringContaining(`is moving to ${ADDRESS}`)])
  })
})

describe('the beginning waits for', () => {
  const event = { event_type: 'record.created', id: {} } as never // only its JSON is stored
  test.each([
    [
      'a write that has appended events',
      async (tx: Transaction, workspaceId: string) => {
        await appendToOutbox(tx as never, { workspaceId, actor: 1, at: service.appContext.now() }, [event]) // a transaction runs it as a pool
        await tx`delete from relata.outbox where workspace_id = ${workspaceId}`
      },
    ],
    [
      'a write without events',
      (tx: Transaction, id: string) => tx`update relata.views set title = title where workspace_id = ${id}`,
    ],
    [
      'a change of the settings',
      (tx: Transaction, id: string) => tx`update relata.workspaces set name = name where id = ${id}`,
    ],
    ['a write of records', (tx: Transaction) => tx`update w_1.o_1 set version = version`],
  ])('%s', async (_, write) => {
    const { db, workspaceId } = service
    const order: string[] = []
    const written = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const writing = db.sql
      .begin(async (tx) => {
        await write(tx, workspaceId)
        written.resolve()
        await mayEnd.promise
      })
      .then(() => order.push('write'))
    await written.promise
    const beginning = beginMove(db, workspaceId, ADDRESS).then(() => order.push('move'))
    await until(waits)
    mayEnd.resolve()
    await Promise.all([writing, beginning])
    expect(order).toEqual(['write', 'move'])
    await cancelMove(db, workspaceId)
    await untilStatus(() => service.request('POST', '/v2/objects/people/records', { data: { values: {} } }), 200)
  })
})

describe('503 for a request that waits when the move begins, and changes', () => {
  test.each<[string, string, () => Promise<() => Promise<{ status: number }>>]>([
    [
      'the status of a webhook',
      'webhooks',
      async () => {
        const webhook = await firstWebhook()
        return () => service.request('PATCH', webhook, { data: { status: 'inactive' } })
      },
    ],
    [
      'the secret of a webhook',
      'webhooks',
      async () => {
        const webhook = await firstWebhook()
        return () => service.request('POST', `${webhook}/rotate-secret`)
      },
    ],
    [
      'an API key',
      'tokens',
      async () => {
        const keys = `/console/api/workspaces/${service.workspaceId}/keys`
        const [key] = (await person.ask('GET', keys)).body.data
        return () => person.ask('PATCH', `${keys}/${key.id}`, { name: 'Changed' })
      },
    ],
  ])('%s', async (_, table, prepare) => {
    const { db, workspaceId } = service
    const ask = await prepare()
    const rows = (tx: Transaction | typeof db.sql) =>
      tx.unsafe(`select * from relata.${table} where workspace_id = $1 order by id`, [workspaceId])
    const before = await rows(db.sql)
    let answer: Promise<{ status: number }> | undefined
    await db.sql.begin(async (tx) => {
      await tx.unsafe(`select from relata.${table} where workspace_id = $1 for update`, [workspaceId])
      answer = ask()
      await until(waits)
      await beginMove(db, workspaceId, ADDRESS)
    })
    expect((await answer)?.status).toBe(503)
    expect(await rows(db.sql)).toEqual(before)
    await cancelMove(db, workspaceId)
    await untilStatus(write, 200)
  })

  async function firstWebhook(): Promise<string> {
    const { body } = await service.request('GET', '/v2/webhooks')
    return `/v2/webhooks/${body.data[0].id.webhook_id}`
  }
})

test('every write that was answered while the move began is at the other service', async () => {
  const { key, workspaceId } = await service.anotherWorkspace()
  const people = '/v2/objects/people/records'
  const ask = (method: string, path: string, body?: object) => service.request(method, path, body, { key })
  const first = (await ask('POST', people, { data: { values: {} } })).body.data.id.record_id
  /** The paths of what was answered with success, and the names that it has. */
  const written = new Map<string, string>()
  const statuses = new Set<number>()
  const began = Promise.withResolvers<void>()
  let writes = 0
  async function write(name: string): Promise<boolean> {
    const values = { name: `Doe, ${name}` }
    const note = { parent_object: 'people', parent_record_id: first, title: name, format: 'plaintext', content: '' }
    const writers = {
      create: () => ask('POST', people, { data: { values } }),
      update: () => ask('PATCH', `${people}/${first}`, { data: { values } }),
      note: () => ask('POST', '/v2/notes', { data: note }),
    }
    const kind = (['create', 'update', 'note'] as const)[writes++ % 3] ?? 'create'
    if (writes === 30) began.resolve()
    const { status, body } = await writers[kind]()
    statuses.add(status)
    if (status !== 200) return false
    if (kind === 'note') written.set(`/v2/notes/${body.data.id.note_id}`, name)
    else if (kind === 'create') written.set(`${people}/${body.data.id.record_id}`, name)
    return true
  }
  const writer = async (id: number) => {
    for (let count = 0; await write(`W${id}x${count}`); count++);
  }
  const writing = Promise.all([1, 2, 3, 4].map(writer))
  await began.promise
  const { exitCode } = await moveTo(['--settings', file], {}, 'workspace-2')
  await writing
  expect([exitCode, [...statuses].toSorted()]).toEqual([0, [200, 503]])
  for (const [path, name] of written) {
    const { status, body } = await other.request('GET', path, undefined, { key })
    expect([path, status, JSON.stringify(body).includes(name)]).toEqual([path, 200, true])
  }
  const stored = await service.db.sql`select count(*)::int as n from relata.notes where workspace_id = ${workspaceId}`
  const arrived = await other.db.sql`select count(*)::int as n from relata.notes where workspace_id = ${workspaceId}`
  expect(arrived).toEqual(stored)
})

test('a command that is killed within each step ends the move when it is run again', async () => {
  const { db } = service
  const { key, workspaceId } = await service.anotherWorkspace()
  const people = '/v2/objects/people/records'
  const ask = (method: string, path: string, body?: object) => service.request(method, path, body, { key })
  const { id } = (await ask('POST', people, { data: { values: { name: 'Doe, Joe' } } })).body.data
  await ask('POST', '/v2/notes', {
    data: { parent_object: 'people', parent_record_id: id.record_id, title: 'Kept', format: 'plaintext', content: '' },
  })
  const [row] = await db.sql<{ slug: string; number: number }[]>`
    select slug, number from relata.workspaces where id = ${workspaceId}`
  const words = ['workspace', 'move-to', row?.slug ?? '', '--folder', folder, '--settings', file]
  // The tables that the command waits for: the wait for writes, the export, the import, the end.
  for (const [{ sql }, table] of [
    [db, `w_${row?.number}.o_1`],
    [db, 'relata.notes'],
    [other.db, 'relata.notes'],
    [db, 'relata.workspace_removals'],
  ] as const) {
    const waits = async () =>
      (await sql`select from pg_locks where relation = ${table}::regclass and not granted`).length > 0
    await sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${table} in access exclusive mode`)
      const command = startCommand(service, words)
      await until(waits)
      await command.kill()
    })
    await until(async () => !(await waits()))
  }
  expect((await moveTo(['--settings', file], {}, row?.slug)).exitCode).toBe(0)
  await untilStatus(() => ask('GET', '/v2/objects'), 410)
  const there = await other.request('GET', `${people}/${id.record_id}`, undefined, { key })
  expect(there.body.data.values.name[0].full_name).toBe('Joe Doe')
  const notes = await other.request(
    'GET',
    `/v2/notes?parent_record_id=${id.record_id}&parent_object=people`,
    undefined,
    { key },
  )
  expect(notes.body.data.map(({ title }: { title: string }) => title)).toEqual(['Kept'])
}, 120_000)

test('everything is at the other service with its ids, keys and secrets, and requests get 410 with its address', async () => {
  await rollupsOf(service).work()
  const before = await readApi(service, service.key)
  const erased = await requestErasure(service)
  const { exitCode, lines } = await start()
  expect([exitCode, lines]).toEqual([
    0,
    [
      expect.stringContaining('can only be read now'),
      expect.stringContaining(`Copied the workspace workspace-1 to ${ADDRESS}`),
      `The workspace workspace-1 has moved to ${ADDRESS}. Requests here get 410 with this address.`,
      expect.stringContaining('Members without an account there'),
      expect.stringContaining('It is removed here on '),
    ],
  ])
  expect(readdirSync(folder)).toEqual(['settings'])
  const [ours, theirs] = await Promise.all(
    [service, other].map(
      ({ db }) =>
        db.sql`select attribute_id, is_erasure, requested_at from relata.rollup_refreshes where entity_id = ${erased}`,
    ),
  )
  expect(theirs).toEqual(ours)
  expect(theirs).toHaveLength(1)
  // The other service computes look-ups and rollups anew.
  await rollupsOf(other).refresh()
  expect(await readApi(other, service.key)).toEqual(before)

  const { db, workspaceId } = service
  const webhooksOf = async ({ db }: TestService) =>
    (await db.sql`select id, secret, status from relata.webhooks where workspace_id = ${workspaceId} order by id`).map(
      ({ id, secret, status }) => ({ id, status, secret: db.secrets.decrypt(webhookRow(workspaceId, id), secret) }),
    )
  expect(await webhooksOf(other)).toEqual(await webhooksOf(service))
  expect((await webhooksOf(other)).length).toBeGreaterThan(0)

  const moved = { code: 'workspace_moved', moved_to: ADDRESS }
  await untilStatus(() => service.request('GET', address), 410)
  for (const [method, path] of [
    ['GET', address],
    ['POST', '/v2/objects/people/records'],
    ['GET', '/v2/events'],
  ] as const)
    expect((await service.request(method, path, method === 'GET' ? undefined : {})).body).toMatchObject(moved)
  expect((await person.ask('GET', '/console/v2/objects', undefined, workspaceId)).body).toMatchObject(moved)
  expect((await person.ask('GET', `/console/api/workspaces/${workspaceId}`)).body).toMatchObject(moved)
  expect((await person.ask('GET', '/console/api/session')).body.data.deleted_workspaces).toEqual([])
  expect((await service.request('GET', '/v2/self')).body.active).toBe(false)
  const redirected = await open(service, 'POST')
  expect([redirected.status, redirected.headers.get('location')]).toEqual([308, `${ADDRESS}${link}`])
  expect((await open(other, 'POST')).status).toBe(200)
  const [entry] = await db.sql`select details from relata.audit_log where action = 'workspace.moved'`
  expect(JSON.parse(entry?.details)).toMatchObject({ moved_to: ADDRESS })
  expect((await moveTo(['--cancel'])).exitCode).toBe(1)
  const printed: string[] = []
  const print = { print: (line: string) => printed.push(line), printError: (line: string) => printed.push(line) }
  expect(await runCommandLine(['workspace', 'restore', 'workspace-1'], settingsOf(service), print)).toBe(1)
  expect(printed).toEqual([`The workspace workspace-1 has moved to ${ADDRESS}, and may have changed there.`])
})

test('a command that was killed after the copy ends the move when it is run again', async () => {
  const { db, workspaceId } = service
  await db.sql`delete from relata.workspace_removals where workspace_id = ${workspaceId}`
  await db.sql`update relata.all_workspaces set deleted_at = null where id = ${workspaceId}`
  const { exitCode, lines } = await start()
  expect([exitCode, lines[1]]).toEqual([0, `It is at ${ADDRESS} already.`])
  await untilStatus(() => service.request('GET', address), 410)
})
