/** The embedded PostgreSQL is killed while clients write: the service starts it again, and nothing answered is lost. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lost, startWriters } from '../../support/acknowledged'
import { checkConsistency } from '../../support/check-consistency'
import { createRequest } from '../../support/client'
import { openReader } from '../../support/database'
import { makeRelatedObjects } from '../../support/random-writes'
import { keyIn, type RunningProcess, startProcess } from '../../support/start'
import { until } from '../../support/until'
import { createRecord, recordIdOf } from '../../support/value-cases'
import { findWholeRecords } from '../../support/whole-records'

/** PostgreSQL's user has to get there as well. */
const directory = mkdtempSync(join(tmpdir(), 'relata-e2e-'))
chmodSync(directory, 0o755)
const pidFile = join(directory, 'postgres', 'postmaster.pid')

let running: RunningProcess

beforeAll(async () => {
  running = await startProcess({ RELATA_DATA_DIR: directory })
})

afterAll(async () => {
  const code = await running.stop()
  // A service that broke down has left its PostgreSQL behind.
  if (code !== 0 && existsSync(pidFile)) process.kill(postmaster(), 'SIGINT')
  rmSync(directory, { recursive: true, force: true })
  expect(code).toBe(0)
})

const PATIENCE_MS = 15_000

test('killed in mid-write, PostgreSQL is started again; then the service itself is killed and comes back', async () => {
  const key = keyIn(running.output())
  const request = createRequest(running.url, key)
  await makeRelatedObjects(request)
  const groups = [recordIdOf(await createRecord(request, 'beta', {}))]
  const writers = startWriters(running.url, key, groups)
  await isBack(() => writers.acknowledged.length > 20)
  const killed = postmaster()
  process.kill(killed, 'SIGKILL')
  await isBack(() => existsSync(pidFile) && postmaster() !== killed)
  const before = writers.acknowledged.length
  await isBack(() => writers.acknowledged.length > before + 10)
  await running.kill()
  await writers.stop()

  running = await startProcess({ RELATA_DATA_DIR: directory })
  expect(await lost(createRequest(running.url, key), writers.acknowledged)).toEqual([])
  await expectWhole()
})

async function expectWhole(): Promise<void> {
  const { port, password } = JSON.parse(readFileSync(join(directory, 'database.json'), 'utf8'))
  const reader = openReader(`postgres://postgres:${password}@127.0.0.1:${port}/postgres`)
  try {
    expect(await checkConsistency(reader)).toEqual([])
    expect((await findWholeRecords(reader)).torn).toEqual([])
  } finally {
    await reader.end()
  }
}

/** The process id of our own PostgreSQL. */
function postmaster(): number {
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  if (!(pid > 1)) throw new Error('PostgreSQL does not run.')
  return pid
}

const isBack = (isSo: () => boolean): Promise<void> =>
  until(isSo, { why: () => running.output().slice(-3000), most: PATIENCE_MS })
