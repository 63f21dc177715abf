/** Sends requests at a rate, whether the earlier ones were answered or not: clients do not slow down with the service. */

import { randomFrom, type Random } from '../data/random'
import { type Connection, openConnection, renderRequest, type Request } from '../measure/http-client'

/** The workspace that gets the requests. */
export interface Target {
  readonly port: number
  readonly key: string
  /** The ids of people. */
  readonly ids: readonly string[]
}

export interface Load extends Target {
  /** Requests a second. Infinity: each connection sends the next request after the response. */
  readonly rate: number
  readonly connections: number
  readonly seconds: number
}

/** Times are in milliseconds, from the time at which a request should have been sent to its response. */
export interface LoadFigures {
  readonly seconds: number
  /** Answered with 200. */
  readonly accepted: number
  /** Answered with 503. */
  readonly refused: number
  readonly failed: number
  /** Not sent, because all connections waited for responses. */
  readonly unsent: number
  readonly p50: number
  readonly p99: number
  readonly p99Refused: number
}

export async function offer(load: Load): Promise<LoadFigures> {
  const random = randomFrom(load.connections)
  const free = await Promise.all(Array.from({ length: load.connections }, () => openConnection(load.port)))
  const all = [...free]
  const [accepted, refused]: [number[], number[]] = [[], []]
  const running = new Set<Promise<void>>()
  let failed = 0
  let unsent = 0
  const sendOver = async (connection: Connection, due: number): Promise<void> => {
    const status = await connection.send(renderRequest(requestOf(random, load.ids), load.key))
    const took = performance.now() - due
    if (status === 200) accepted.push(took)
    else if (status === 503) refused.push(took)
    else failed += 1
    free.push(connection)
  }
  const begun = performance.now()
  const end = begun + load.seconds * 1000
  const start = (due: number) => {
    const connection = free.pop()
    if (connection === undefined) {
      unsent += 1
      return
    }
    const sending = sendOver(connection, due)
    running.add(sending)
    void sending.then(() => running.delete(sending))
  }
  if (load.rate === Infinity) {
    const loop = async (connection: Connection): Promise<void> => {
      while (performance.now() < end) {
        await sendOver(connection, performance.now())
        free.pop()
      }
    }
    await Promise.all(all.map(loop))
  } else {
    for (let sent = 0; performance.now() < end; await Bun.sleep(1)) {
      for (const due = ((performance.now() - begun) / 1000) * load.rate; sent < due; sent += 1)
        start(begun + (sent / load.rate) * 1000)
    }
    await Promise.all(running)
  }
  const seconds = (performance.now() - begun) / 1000
  for (const connection of all) connection.close()
  return {
    seconds,
    accepted: accepted.length,
    refused: refused.length,
    failed,
    unsent,
    p50: quantile(accepted, 0.5),
    p99: quantile(accepted, 0.99),
    p99Refused: quantile(refused, 0.99),
  }
}

/** Six of ten requests read a record, two query a page, two change a record. */
function requestOf(random: Random, ids: readonly string[]): Request {
  const path = `/v2/objects/people/records/${ids[random.below(ids.length)]}`
  const kind = random.below(10)
  if (kind < 6) return { method: 'GET', path }
  if (kind < 8) return { method: 'POST', path: '/v2/objects/people/records/query', body: { limit: 20 } }
  const values = { job_title: `Title ${random.below(1000)}` }
  return { method: 'PATCH', path, body: { data: { values } } }
}

function quantile(times: readonly number[], part: number): number {
  const sorted = Float64Array.from(times).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
