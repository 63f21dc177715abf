/** Compares uploads and downloads of files with those of a bare server. docs/benchmarks.md (Transfers) */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '#db/embedded/cluster'
import type { Side } from '../measure/measure'
import { ask } from '../measure/probe'
import { type Bench, createDatabase, spawn, startService } from '../processes'
import { PEOPLE } from '../workloads/workload'
import { measureMemory, measureTransfers, type Transfer } from './measure'
import {
  type ComparedTransfer,
  renderTransfer,
  renderTransferMemory,
  TRANSFER_HEADINGS,
  type TransfersOutcome,
} from './report'
import { downloadsFrom, LARGEST_FILE_BYTES, uploadsTo } from './requests'

const FILE_BYTES = 10_000_000
const CONCURRENCIES = [1, 8]
const UPLOADS_AT_ONCE = 20

/** Starts both programs afresh, with folders that are removed at the end. */
export async function compareTransfers(bench: Bench): Promise<TransfersOutcome> {
  const folder = join(bench.folder, `transfers-${process.pid}`)
  bench.atEnd(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder)
  const url = await createDatabase(bench, `transfers_${Date.now()}`)
  const service = await startService(bench, url, { settings: { RELATA_FILES_DIR: join(folder, 'service') } })
  const floor = await startTransferFloor(bench, join(folder, 'floor'))
  const record = await createRecord(service)
  const uploadsOf = (side: Side, bytes: number): Transfer => {
    return { side, next: uploadsTo(side, record, bytes), status: 201, bytes }
  }
  const memoryOf = (side: Side) => measureMemory(uploadsOf(side, LARGEST_FILE_BYTES), UPLOADS_AT_ONCE)
  const memory = { floor: await memoryOf(floor), service: await memoryOf(service) }
  console.log(renderTransferMemory(memory, UPLOADS_AT_ONCE, LARGEST_FILE_BYTES))
  console.log(TRANSFER_HEADINGS)
  const downloadsOf = async (side: Side): Promise<Transfer> => {
    return { side, next: await downloadsFrom(side, record, FILE_BYTES), status: 200, bytes: FILE_BYTES }
  }
  const compared = [
    ...(await compareAt('upload', [uploadsOf(floor, FILE_BYTES), uploadsOf(service, FILE_BYTES)])),
    ...(await compareAt('download', [await downloadsOf(floor), await downloadsOf(service)])),
  ]
  return { memory, compared }
}

/** The first transfer is that of the floor. */
async function compareAt(
  kind: ComparedTransfer['kind'],
  transfers: readonly [Transfer, Transfer],
): Promise<readonly ComparedTransfer[]> {
  const compared: ComparedTransfer[] = []
  for (const concurrency of CONCURRENCIES) {
    const [floor, service] = await measureTransfers(transfers, concurrency)
    if (!floor || !service) throw new Error('Both sides are measured always.')
    const each = { kind, concurrency, floor, service }
    console.log(renderTransfer(each))
    compared.push(each)
  }
  return compared
}

async function startTransferFloor(bench: Bench, folder: string): Promise<Side> {
  mkdirSync(folder)
  const port = await findFreePort(0)
  const program = spawn(bench, ['e2e/bench/transfers/floor.ts', folder, String(port)])
  await program.readUntil(/The floor listens/)
  return { name: 'floor', port, key: 'none', pid: program.pid }
}

async function createRecord(service: Side): Promise<string> {
  const body = { data: { values: { name: 'Lovelace, Ada' } } }
  const answer = JSON.parse(await ask({ method: 'POST', path: PEOPLE, body }, service))
  return String(answer.data.id.record_id)
}
