import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { getObject } from '../../data-model/find'
import { signedIn, type Person } from '../../testing/people'
import { testService, type TestService } from '../../testing/service'
import { claimImport } from './running'
import { runImports } from './worker'

const ROWS = 1300

let service: TestService
let admin: Person
beforeAll(async () => {
  service = await testService()
  admin = await signedIn(service)
})
afterAll(() => service.close())

/** Begins an import of companies; gives its path. */
async function begin(word: string): Promise<string> {
  const imports = `/console/api/workspaces/${service.workspaceId}/imports`
  const lines = Array.from({ length: ROWS }, (_, at) => `${word} ${at},${word}-${at}.com`)
  const file = ['Company,Website', ...lines].join('\n')
  const { data } = (await admin.ask('POST', `${imports}?object=companies&file_name=${word}.csv`, file)).body
  const columns = { Company: 'name', Website: 'domains' }
  const plan = { columns, match: null, fallback: 'name', overwrite: false, country: null }
  expect((await admin.ask('POST', `${imports}/${data.id}/start`, plan)).status).toBe(200)
  return `${imports}/${data.id}`
}

const cancel = async (path: string) => (await admin.ask('POST', `${path}/cancel`)).body.data
const shown = async (path: string) => (await admin.ask('GET', path)).body.data
const runWaiting = () => runImports({ db: service.db, now: service.platform.now, onWritten: () => {} })

async function isEnded(path: string): Promise<void> {
  while (['waiting', 'running'].includes((await shown(path)).state)) await Bun.sleep(5)
}

/** The process that runs it has noted how far it is. */
async function isNoted({ id }: { id: string }): Promise<void> {
  const { sql } = service.db
  const heardOf = async () => (await sql`select leased_until from relata.imports where id = ${id}`)[0]?.leased_until
  const before = await heardOf()
  while ((await heardOf()) === before) await Bun.sleep(5)
}

/** Companies cannot be written until it is called. */
async function holdCompanies(): Promise<() => Promise<void>> {
  const { table } = getObject(await service.platform.models.get(service.workspaceId), 'companies')
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const holding = service.db.sql.begin(async (tx) => {
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
    const worker = runWaiting()
    await worker.stop()
    expect((await shown(path)).counts.read).toBe(0)
  })

  test('200 for one that runs, which ends behind the rows that are being written', async () => {
    const path = await begin('running')
    const release = await holdCompanies()
    const worker = runWaiting()
    while ((await shown(path)).state !== 'running') await Bun.sleep(5)
    const cancelled = await cancel(path)
    expect(cancelled.state).toBe('running')
    // A second note begins when what the first one said was heard.
    await isNoted(cancelled)
    await isNoted(cancelled)
    await release()
    await isEnded(path)
    await worker.stop()
    const { state, counts, failure } = await shown(path)
    expect([state, counts.read, counts.created, failure]).toEqual(['cancelled', 500, 500, null])
    expect(await piecesOf(cancelled)).toBe(0)
    const query = (name: string) => service.request('POST', '/v2/objects/companies/records/query', { filter: { name } })
    expect((await query('running 499')).body.data).toHaveLength(1)
    expect((await query('running 500')).body.data).toHaveLength(0)
  })

  test('200 for one whose process is gone, which nobody goes on with', async () => {
    const path = await begin('left')
    const longAgo = service.platform.now() - 61_000_000
    await claimImport(service.db.sql, crypto.randomUUID(), longAgo)
    expect((await cancel(path)).state).toBe('running')
    const worker = runWaiting()
    await isEnded(path)
    await worker.stop()
    const { state, counts } = await shown(path)
    expect([state, counts.read]).toEqual(['cancelled', 0])
  })

  test('200 for one that ended, which stays as it is', async () => {
    const path = await begin('ended')
    const worker = runWaiting()
    await isEnded(path)
    await worker.stop()
    const { state, counts } = await cancel(path)
    expect([state, counts.created]).toEqual(['finished', ROWS])
  })
})
