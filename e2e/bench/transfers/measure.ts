/** Measures transfers on both sides in alternating rounds, and the memory of a program during many uploads at once. */

import { type Connection, openConnection } from '../measure/http-client'
import type { Side } from '../measure/measure'
import { cpuOf, residentBytes } from '../measure/usage'
import type { NextRequest } from './requests'

export interface TransferFigures {
  /** Megabytes of files in a second. */
  readonly rate: number
  /** The median time of a transfer in milliseconds. */
  readonly p50: number
  /** The milliseconds of CPU time of the program per megabyte. */
  readonly program_cpu: number
}

export interface Transfer {
  readonly side: Side
  readonly next: NextRequest
  /** The status of a successful response. */
  readonly status: number
  /** The size of one file. */
  readonly bytes: number
}

const ROUNDS = 3
const TRANSFERS_PER_ROUND = 16
const WARM_UP_TRANSFERS = 4

interface Total {
  readonly latencies: number[]
  elapsed: number
  cpu: number
}

/** Returns the figures of each transfer, in their order. */
export async function measureTransfers(
  transfers: readonly Transfer[],
  concurrency: number,
): Promise<readonly TransferFigures[]> {
  const all = await Promise.all(
    transfers.map(async (transfer) => ({
      transfer,
      connections: await open(transfer.side, concurrency),
      total: { latencies: [], elapsed: 0, cpu: 0 } as Total,
    })),
  )
  for (const { transfer, connections } of all) await sendAll(transfer, connections, WARM_UP_TRANSFERS)
  for (let round = 0; round < ROUNDS; round++) {
    for (const { transfer, connections, total } of all) {
      const before = { at: performance.now(), cpu: cpuOf(transfer.side.pid) }
      total.latencies.push(...(await sendAll(transfer, connections, TRANSFERS_PER_ROUND)))
      total.elapsed += performance.now() - before.at
      total.cpu += cpuOf(transfer.side.pid) - before.cpu
    }
  }
  for (const { connections } of all) for (const connection of connections) connection.close()
  return all.map(({ transfer, total }) => figuresOf(transfer, total))
}

const open = (side: Side, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(side.port)))

/** Returns the milliseconds of each transfer. */
async function sendAll(
  transfer: Transfer,
  connections: readonly Connection[],
  count: number,
): Promise<readonly number[]> {
  const latencies: number[] = []
  let left = count
  const sendNext = async (connection: Connection) => {
    while (left-- > 0) latencies.push(await sendOne(transfer, connection))
  }
  await Promise.all(connections.map(sendNext))
  return latencies
}

async function sendOne({ side, next, status: expected }: Transfer, connection: Connection): Promise<number> {
  const pieces = next()
  const sent = performance.now()
  const status = await connection.send(...pieces)
  if (status !== expected) throw new Error(`The ${side.name} answers a transfer with ${status}, not ${expected}.`)
  return performance.now() - sent
}

function figuresOf({ bytes }: Transfer, { latencies, elapsed, cpu }: Total): TransferFigures {
  const megabytes = (latencies.length * bytes) / 1e6
  const sorted = latencies.toSorted((one, other) => one - other)
  return {
    rate: megabytes / (elapsed / 1000),
    p50: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    program_cpu: cpu / megabytes,
  }
}

export interface TransferMemory {
  readonly before_bytes: number
  readonly most_bytes: number
}

const SAMPLED_EVERY_MS = 5

/** Sends this many transfers at once, and observes the memory of the program until all have ended. */
export async function measureMemory(transfer: Transfer, count: number): Promise<TransferMemory> {
  const { pid } = transfer.side
  const connections = await open(transfer.side, count)
  const before_bytes = residentBytes(pid)
  let most_bytes = before_bytes
  const sampler = setInterval(() => {
    most_bytes = Math.max(most_bytes, residentBytes(pid))
  }, SAMPLED_EVERY_MS)
  try {
    await sendAll(transfer, connections, count)
  } finally {
    clearInterval(sampler)
    for (const connection of connections) connection.close()
  }
  return { before_bytes, most_bytes }
}
