/**
 * A service with an embedded PostgreSQL, which are killed while clients write, and a receiver of its webhook. `faults` has what broke the
 * rules: a failure that no kill explains, a lost write, an event that was not delivered, a broken invariant.
 */

import { createRequest, type Request } from '../../support/http/client'
import { makeObject } from '../../support/fixtures/model'
import { dataFolder, type DataFolder } from '../../support/service/data-folder'
import { keyIn, type RunningProcess, startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { ALLOWED, faultsOf, importCsv, isAtRest, makeSoakData, SUBSCRIPTIONS } from './invariants'
import { type SoakState, type SoakWrite, sendSoakWrite } from './writes'

export interface KilledService {
  readonly faults: string[]
  readonly counts: { writes: number; reads: number; refused: number; kills: number; received: number }
  readonly folder: DataFolder
  readonly request: Request
  pid(): number
  /** Sends a random write. */
  write(write: SoakWrite): Promise<void>
  /** Returns a function that counts one further in a record, and resolves when that is acknowledged. */
  createCounter(name: string): Promise<() => Promise<void>>
  killDatabase(): Promise<void>
  /** Kills the service and starts it again. */
  killService(): Promise<void>
  /** Waits until all work is done, checks what must hold then, and stops the service. Returns the number of deliveries. */
  check(): Promise<number>
}

const RETRY_MS = 200
const DRAIN_MS = 600_000

/** A request may fail for `restartMs` after a kill. */
export async function startKilledService(restartMs: number): Promise<KilledService> {
  const counts = { writes: 0, reads: 0, refused: 0, kills: 0, received: 0 }
  const receiver = startReceiver(() => ++counts.received)
  const folder = dataFolder()
  // The usual rate of a target would leave most deliveries for the time after the load.
  const settings = { RELATA_DATA_DIR: folder.path, RELATA_ALLOW_PRIVATE_TARGETS: '1', RELATA_WEBHOOK_RATE: '0' }
  const faults: string[] = []
  let running = await startProcess(settings)
  let killedAt = -Infinity
  const key = keyIn(running.output())
  const recentOutput = () => running.output().slice(-3000)
  const mayFail = () => performance.now() - killedAt < restartMs

  const request: Request = async (method, path, ...rest) => {
    try {
      const answer = await createRequest(running.url, key)(method, path, ...rest)
      if (answer.status >= 500 && !(answer.status === 503 && mayFail()))
        faults.push(`${method} ${path} answered ${answer.status}`)
      if (answer.status === 503) counts.refused++
      return answer
    } catch (error) {
      if (!mayFail()) faults.push(`${method} ${path}: ${String(error)}`)
      throw error
    }
  }
  const webhookId = await createWebhook(running, key, receiver.url)
  const known = await makeSoakData(request)
  await makeObject(request, 'counters', [
    { api_slug: 'code', type: 'text', is_unique: true },
    { api_slug: 'count', type: 'number' },
  ])
  const importOf: SoakState['importCsv'] = (csv) => importCsv({ RELATA_DATA_DIR: folder.path }, csv)
  const state: SoakState = { request, known, entries: [], importCsv: importOf }
  const counters = createCounters(request, faults)

  const kill = async (work: () => Promise<void>) => {
    killedAt = performance.now()
    await work()
    killedAt = performance.now()
    counts.kills++
  }
  return {
    faults,
    counts,
    folder,
    request,
    pid: () => running.pid,
    async write(write) {
      // A write without an answer may have happened; the invariants hold in both cases.
      const outcomes = await sendSoakWrite(state, write).catch(() => Bun.sleep(RETRY_MS).then(() => []))
      counts.writes += outcomes.length
      const isKilled = mayFail()
      for (const outcome of outcomes)
        if (!ALLOWED.has(outcome) && !(isKilled && /^(?:import|503)/.test(outcome)))
          faults.push(`unexpected: ${outcome}`)
    },
    async createCounter(name) {
      const count = await counters.create(name)
      return async () => {
        await count()
        counts.writes++
      }
    },
    killDatabase: () => kill(() => folder.killDatabase(recentOutput)),
    killService: () =>
      kill(async () => {
        await running.kill()
        running = await startProcess(settings)
      }),
    async check() {
      const deliveries = await folder.withReader(async (reader) => {
        const patience = { most: DRAIN_MS, every: 500, why: recentOutput }
        await until(() => isAtRest(reader), patience)
        const pending = () => reader`select 1 from relata.deliveries where due_at is not null limit 1`
        await until(async () => (await pending()).length === 0, patience)
        await counters.check()
        const delivered = await reader<{ idempotency_key: string }[]>`
          select idempotency_key from relata.deliveries where webhook_id = ${webhookId}`
        const missing = delivered.filter(({ idempotency_key }) => !receiver.hasAccepted(idempotency_key))
        if (missing.length > 0) faults.push(`${missing.length} of ${delivered.length} deliveries were not received`)
        faults.push(...(await faultsOf(request, reader, webhookId)))
        return delivered.length
      })
      const exitCode = await running.stop()
      if (exitCode !== 0) faults.push(`the service ended with ${exitCode}`)
      await receiver.stop()
      folder.remove()
      return deliveries
    },
  }
}

/** A receiver that fails now and then. It knows the deliveries that it accepted. `count` returns the number of its requests. */
function startReceiver(count: () => number) {
  const accepted = new Set<string>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await request.text()
      if (count() % 20 === 0) return new Response('busy', { status: 503 })
      accepted.add(request.headers.get('idempotency-key') ?? '')
      return new Response('ok')
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hook`,
    hasAccepted: (key: string) => accepted.has(key),
    stop: () => server.stop(true),
  }
}

/** The contract has no targets without TLS, so its check of responses is left out. */
async function createWebhook({ url }: RunningProcess, key: string, target_url: string): Promise<string> {
  const answer = await fetch(`${url}/v2/webhooks`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { target_url, subscriptions: SUBSCRIPTIONS } }),
  })
  const { data } = await answer.json()
  return data.id.webhook_id
}

/** Records that have the number of their acknowledged writes. */
function createCounters(request: Request, faults: string[]) {
  /** The last acknowledged count of each record. */
  const counts = new Map<string, number>()

  /** Repeats a request until it is acknowledged. A write has an idempotency key, so it has its effect once. */
  async function acknowledged(method: string, path: string, body: unknown) {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    for (;;) {
      const answer = await request(method, path, body, { headers }).catch(() => undefined)
      if (answer !== undefined && answer.status < 500 && answer.body.code !== 'idempotency_conflict') return answer
      await Bun.sleep(RETRY_MS)
    }
  }
  return {
    async create(name: string): Promise<() => Promise<void>> {
      const values = { code: name, count: 0 }
      const { body } = await acknowledged('POST', '/v2/objects/counters/records', { data: { values } })
      const path = `/v2/objects/counters/records/${body.data.id.record_id}`
      let count = 0
      return async () => {
        count++
        const { status } = await acknowledged('PATCH', path, { data: { values: { count } } })
        if (status !== 200) faults.push(`the count ${count} answered ${status}`)
        counts.set(path, count)
      }
    },
    async check(): Promise<void> {
      for (const [path, count] of counts) {
        const stored = (await request('GET', path)).body.data.values.count[0]?.value
        if (stored !== count) faults.push(`the count is ${stored}, and ${count} was acknowledged`)
      }
    },
  }
}
