/** The embedded PostgreSQL is killed while clients write: the service starts it again, and nothing answered is lost. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lost, startWriters } from '../../support/acknowledged'
import { checkConsistency } from '../../support/check-consistency'
import { createRequest } from '../../support/client'
import { openReader } from '../../support/database'
import { makeRelatedObjects } from '../../support/random-writes'
import { keyIn, type RunningProcess, startProcess } from '../../support/start'
import { createRecord, recordIdOf } from '../../support/value-cases'
import { findWholeRecords } from '../../support/whole-records'

const directory = mkdtempSync(join(tmpdir(), 'relata-e2e-'))
let running: RunningProcess

beforeAll(async () => {
  running = await startProcess({ RELATA_DATA_DIR: directory })
}, 60_000)

afterAll(async () => {
  expect(await running.stop()).toBe(0)
  rmSync(directory, { recursive: true, force: true })
}, 30_000)

const WRITING_MS = 700
const PATIENCE_MS = 15_000

test('the postmaster is killed in mid-write, the service goes on with every answered write', async () => {
  const key = keyIn(running.output())
  const request = createRequest(running.url, key)
  await makeRelatedObjects(request)
  const groups = [recordIdOf(await createRecord(request, 'beta', {}))]
  const writers = startWriters(running.url, key, groups)
  await Bun.sleep(WRITING_MS)
  process.kill(postmaster().pid, 'SIGKILL')
  const answered = writers.acknowledged.length
  expect(answered).toBeGreaterThan(10)
  await untilWritable()
  await writers.stop()
  expect(writers.acknowledged.length).toBeGreaterThan(answered)
  expect(await lost(request, writers.acknowledged)).toEqual([])

  const reader = openReader(`postgres://postgres@127.0.0.1:${postmaster().port}/${databaseName()}`)
  try {
    expect(await checkConsistency(reader)).toEqual([])
    expect((await findWholeRecords(reader)).torn).toEqual([])
  } finally {
    await reader.end()
  }
}, 60_000)
