/** Interrupted imports: the service stops, the database is unreachable or full, the client disconnects. See docs/decisions/import-runs-and-undo.md. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { connect, type Database } from '#db/connect'
import { getObject } from '#engine/data-model/find'
import { createTrigger } from '#testing/create-trigger'
import { companies, importsOf } from '#testing/imports'
import { type Person, signedIn } from '#testing/people'
import { testService, type TestService } from '#testing/service'
import { trackProgress, importWorker } from './worker'
import { leaseImport, storeProgress } from './leases'
import { deleteExpiredImports } from './operations'

let service: TestService
let admin: Person
let imports: ReturnType<typeof importsOf>
/** Connections beside those of the service, so that statements of this test do not wait for statements of the service. */
let apart: Database
beforeAll(async () => {
  service = await testService()
  apart = connect(service.url, { max: 2 })
  admin = await signedIn(service)
  imports = importsOf(service, admin)
})
afterAll(async () => {
  await apart.close()
  await service.close()
})

let complaints: ReturnType<typeof spyOn<Console, 'error'>>
let onComplaint = () => {}
beforeEach(() => {
  complaints = spyOn(console, 'error').mockImplementation(() => onComplaint())
})
afterEach(() => complaints.mockRestore())

const complaint = () => new Promise<void>((resolve) => (onComplaint = resolve))
const logged = () => complaints.mock.calls.map(([line]) => JSON.parse(line))
const uploading = () => service.db.sql`select from relata.imports where state = 'uploading'`

describe('a file', () => {
  test('is not stored when the database is full', async () => {
    const { sql } = service.db
    await createTrigger(service.db, {
      name: 'full_disk',
      when: 'before insert on relata.import_pieces',
      body: "if new.number > 0 then raise 'no room' using errcode = 'disk_full'; end if; return new;",
    })
    expect((await imports.upload(companies('Row', 20_000))).status).toBe(503)
    expect(await uploading()).toHaveLength(0)
    expect(logged()).toMatchObject([{ error: 'no room', code: '53100' }])
    await sql`drop trigger full_disk on relata.import_pieces`
    expect((await imports.upload(companies('Row', 20_000))).status).toBe(200)
  })

  test('is not stored when the client disconnects during the upload', async () => {
    const answered = Promise.withResolvers<Response>()
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const response = service.app.handle(request)
        response.then(answered.resolve, answered.reject)
        return response
      },
    })
    const isStored = Promise.withResolvers<void>()
    await createTrigger(service.db, {
      name: 'stored',
      when: 'after insert on relata.import_pieces',
      body: "perform pg_notify('stored', ''); return null;",
    })
    const listening = await service.db.sql.listen('stored', () => isStored.resolve())
    const leaving = new AbortController()
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(300_000).fill(0x61)) })
    const url = `http://127.0.0.1:${server.port}${imports.path}?object=companies&file_name=left.csv`
    const sent = fetch(url, { method: 'POST', body, headers: admin.headers, signal: leaving.signal }).catch(
      () => 'left',
    )
    await isStored.promise
    leaving.abort()
    expect(await sent).toBe('left')
    await answered.promise
    expect(await uploading()).toHaveLength(0)
    await listening.unlisten()
    await server.stop(true)
  })
})

describe('an import', () => {
  test('of a file with only a header ends', async () => {
    const path = await imports.begin('Company,Website\n')
    await imports.runAll()
    expect(await imports.shown(path)).toMatchObject({ state: 'finished', counts: { read: 0 }, problems: 0 })
  })

  test('stops between two batches when the service stops, and continues from there', async () => {
    const path = await imports.begin(companies('Line', 1300))
    const { db, appContext } = service
    const begun = Promise.withResolvers<void>()
    const stopped = importWorker.start({ db, now: appContext.now, events: { wake: () => begun.resolve() } })
    await begun.promise
    await stopped.stop()
    const { state, counts } = await imports.shown(path)
    expect([state, counts.created]).toEqual(['waiting', counts.read])
    expect(counts.read).toBeLessThan(1300)
    await imports.runAll()
    expect((await imports.shown(path)).counts).toMatchObject({ read: 1300, created: 1300, repeated: 0 })
  })

  test('is retried after a lost connection, also when it had read no rows', async () => {
    const path = await imports.begin(companies('Lost', 600))
    const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'companies')
    const worker = await apart.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${table} in share mode`)
      const running = imports.run()
      await endWhoWaits()
      return running
    })
    await worker.settled()
    await worker.stop()
    await imports.runAll()
    expect(await imports.shown(path)).toMatchObject({ state: 'finished', counts: { read: 600, created: 600 } })
    // A progress update on the same connection failed with it.
    const interruptions = logged().filter(
      ({ message }) => message !== 'The progress of an import could not be stored yet.',
    )
    expect(interruptions).toMatchObject([{ message: 'An import was interrupted.', code: expect.any(String) }])
  })

  test('counts the records that it created before a crash as created', async () => {
    // Row 1300 is about the record of row 1.
    const path = await imports.begin(`${companies('Counted', 1299)}\nCounted 0,counted-0.com`)
    const { db, appContext } = service
    const begun = Promise.withResolvers<void>()
    const worker = importWorker.start({ db, now: appContext.now, events: { wake: () => begun.resolve() } })
    await begun.promise
    await worker.stop()
    expect((await imports.shown(path)).counts.created).toBeGreaterThan(0)
    // What a process leaves behind that ended after its first writes and before it counted them.
    await db.sql`update relata.imports set counts = null where id = ${idOf(path)}`
    await imports.runAll()
    expect((await imports.shown(path)).counts).toMatchObject({ read: 1300, created: 1299, unchanged: 1, repeated: 1 })
  })

  test.each(['disk_full', 'deadlock_detected'])(
    'waits when its first statements fail with %s, and refuses no row for it',
    async (condition) => {
      const path = await imports.begin(companies(condition.replace('_', '-'), 2))
      const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'companies')
      const body = `raise 'not now' using errcode = '${condition}';`
      await createTrigger(service.db, { name: condition, when: `before insert on ${table}`, body })
      await imports.runAll()
      expect(await imports.shown(path)).toMatchObject({ state: 'waiting', counts: { read: 0 }, problems: 0 })
      await service.db.sql.unsafe(`drop function ${condition} cascade`)
      await imports.runAll()
      expect(await imports.shown(path)).toMatchObject({ state: 'finished', counts: { created: 2 }, problems: 0 })
    },
  )

  test('stores a problem after a failed update, and stores no problem twice', async () => {
    const path = await imports.begin(companies('Noted', 1))
    const { sql } = service.db
    const leased = await leaseImport(service.db, service.appContext.now())
    if (leased === undefined) throw new Error('No import waits.')
    const problem = {
      line: 2,
      outcome: 'left out',
      column: 'Website',
      value: '?',
      reason: 'It is not a website.',
    } as const
    await sql`alter table relata.import_problems add constraint nothing check (false)`
    const refused = complaint()
    const { db, appContext } = service
    const progress = trackProgress(db, appContext.now, leased)
    await progress.onProblem(problem)
    await refused
    await sql`alter table relata.import_problems drop constraint nothing`
    await progress.finish()
    // The connection may break after the commit and before its response.
    const again = { counts: leased.counts, bytesRead: 0, problems: 1, newProblems: [{ ...problem, number: 1 }] }
    expect(await storeProgress(sql, leased, again, appContext.now())).toBe('ours')
    const { body } = await admin.ask('GET', `${path}/problems`)
    expect(body.split('\r\n').slice(1)).toEqual(['2,left out,Website,?,It is not a website.', ''])
  })
})

const idOf = (path: string): string => path.split('/').at(-1) ?? ''

/** Waits until connections wait for a lock, and closes them. */
async function endWhoWaits(): Promise<void> {
  const waiting = () => apart.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  while ((await waiting()).length === 0);
}

test('an import that was never started is deleted after a day, an ended one after sixty days', async () => {
  const { sql } = service.db
  const DAY = 86_400_000_000
  const now = service.appContext.now()
  await sql`delete from relata.imports`
  const upload = async () => (await imports.upload(companies('Old', 1))).body.data.id
  const [unused, ended] = [await upload(), await upload()]
  await sql`update relata.imports set state = 'finished', ended_at = now() where id = ${ended}`
  const left = async () => (await sql`select id from relata.imports order by id`).map(({ id }) => id)
  for (const [days, ids] of [
    [0.9, [unused, ended]],
    [1.1, [ended]],
    [59.9, [ended]],
    [60.1, []],
  ] as const) {
    await deleteExpiredImports(service.db, now + days * DAY)
    expect(await left()).toEqual([...ids])
  }
})
