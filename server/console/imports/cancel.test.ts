import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Database } from '../../../db/connect'
import { getObject } from '../../data-model/find'
import { companies, importsOf } from '../../testing/imports'
import { signedIn, type Person } from '../../testing/people'
import { testService, type TestService } from '../../testing/service'
import { leaseImport } from './leases'

const ROWS = 1300

let service: TestService
let admin: Person
let imports: ReturnType<typeof importsOf>
/** A connection that is not the service's. */
let apart: Database
/** Called when a process has claimed an import, or noted how far it is. */
let onNote = () => {}
beforeAll(async () => {
  service = await testService()
  apart = connect(service.url, { max: 1 })
  admin = await signedIn(service)
  imports = importsOf(service, admin)
  await service.db.sql.unsafe(`
    create function tell() returns trigger language plpgsql as $$ begin perform pg_notify('noted', ''); return null; end $$;
    create trigger noted after update of leased_until on relata.imports for each row execute function tell()`)
  await service.db.sql.listen('noted', () => onNote())
})
afterAll(async () => {
  await apart.close()
  await service.close()
})

const nextNote = () => new Promise<void>((resolve) => (onNote = resolve))

const begin = (word: string) => imports.begin(companies(word, ROWS))
const cancel = async (path: string) => (await admin.ask('POST', `${path}/cancel`)).body.data

/** Companies cannot be written until it is called. */
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
  test('200 for one that waits, which ends at once, with its file', async () => {
    const path = await begin('waiting')
    const cancelled = await cancel(path)
    expect([cancelled.state, await piecesOf(cancelled)]).toEqual(['cancelled', 0])
    await imports.runAll()
    expect((await imports.shown(path)).counts.read).toBe(0)
  })

  test('200 for one that runs, which ends behind the rows that are being written', async () => {
    const path = await begin('running')
    const release = await holdCompanies()
    const claimed = nextNote()
    const worker = imports.run()
    await claimed
    const cancelled = await cancel(path)
    expect(cancelled.state).toBe('running')
    // A second note begins when what the first one said was heard.
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

  test('200 for one whose process is gone, which nobody goes on with', async () => {
    const path = await begin('left')
    const longAgo = service.appContext.now() - 61_000_000
    await leaseImport(service.db.sql, crypto.randomUUID(), longAgo)
    expect((await cancel(path)).state).toBe('running')
    await imports.runAll()
    const { state, counts } = await imports.shown(path)
    expect([state, counts.read]).toEqual(['cancelled', 0])
  })

  test('200 for one that ended, which stays as it is', async () => {
    const path = await begin('ended')
    await imports.runAll()
    const { state, counts } = await cancel(path)
    expect([state, counts.created]).toEqual(['finished', ROWS])
  })
})
