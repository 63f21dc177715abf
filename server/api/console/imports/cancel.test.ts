import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Database } from '#db/connect'
import { getObject } from '#engine/data-model/find'
import { createTrigger } from '#testing/create-trigger'
import { companies, importsOf } from '#testing/imports'
import { signedIn, type Person } from '#testing/people'
import { testService, type TestService } from '#testing/service'
import { leaseImport } from './leases'

const ROWS = 1300

let service: TestService
let admin: Person
let imports: ReturnType<typeof importsOf>
/** A connection beside those of the service. */
let apart: Database
/** Called when a process has leased an import or stored its progress. */
let onNote = () => {}
beforeAll(async () => {
  service = await testService()
  apart = connect(service.url, { max: 1 })
  admin = await signedIn(service)
  imports = importsOf(service, admin)
  await createTrigger(service.db, {
    name: 'noted',
    when: 'after update of due_at on relata.imports',
    body: "perform pg_notify('noted', ''); return null;",
  })
  await service.db.sql.listen('noted', () => onNote())
})
afterAll(async () => {
  await apart.close()
  await service.close()
})

const nextNote = () => new Promise<void>((resolve) => (onNote = resolve))

const begin = (word: string) => imports.begin(companies(word, ROWS))
const cancel = async (path: string) => (await admin.ask('POST', `${path}/cancel`)).body.data

/** Locks the table of companies. The returned function unlocks it. */
async function holdCompanies(): Promise<() => Promise<void>> {
  const { table } = getObject(await service.appContext.models.get(service.workspaceId), 'companies')
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = apart.sql.begin(async (tx) => {
    await tx.unsafe(`lock table ${table} in share mode`)
    held.resolve()
    await released.promise
  })
  await held.promise
  return async () => {
    released.resolve()
    await holding
  }
}

async function piecesOf({ id }: { id: string }): Promise<number> {
  const [row] = await service.db.sql`select count(*)::int from relata.import_pieces where import_id = ${id}`
  return row?.count
}

describe('POST …/imports/:import_id/cancel', () => {
  test('200 for a queued import, which ends immediately; its file is deleted', async () => {
    const path = await begin('waiting')
    const cancelled = await cancel(path)
    expect([cancelled.state, await piecesOf(cancelled)]).toEqual(['cancelled', 0])
    await imports.runAll()
    expect((await imports.shown(path)).counts.read).toBe(0)
  })

  test('200 for a running import, which ends after the batch that is being written', async () => {
    const path = await begin('running')
    const release = await holdCompanies()
    const claimed = nextNote()
    const worker = imports.run()
    await claimed
    const cancelled = await cancel(path)
    expect(cancelled.state).toBe('running')
    // The second progress update begins after the result of the first one was handled.
    await nextNote()
    await nextNote()
    await release()
    await worker.settled()
    await worker.stop()
    const { state, counts, failure } = await imports.shown(path)
    expect([state, counts.read, counts.created, failure]).toEqual(['cancelled', 500, 500, null])
    expect(await piecesOf(cancelled)).toBe(0)
    const query = (name: string) => service.request('POST', '/v2/objects/companies/records/query', { filter: { name } })
    expect((await query('running 499')).body.data).toHaveLength(1)
    expect((await query('running 500')).body.data).toHaveLength(0)
  })

  test('200 for an import of a dead worker, which no process continues', async () => {
    const path = await begin('left')
    await leaseImport(service.db, service.appContext.now())
    expect((await cancel(path)).state).toBe('running')
    service.setNow(service.appContext.now() + 61_000_000)
    await imports.runAll()
    service.setNow()
    const { state, counts } = await imports.shown(path)
    expect([state, counts.read]).toEqual(['cancelled', 0])
  })

  test('200 for an ended import, which does not change', async () => {
    const path = await begin('ended')
    await imports.runAll()
    const { state, counts } = await cancel(path)
    expect([state, counts.created]).toEqual(['finished', ROWS])
  })
})
