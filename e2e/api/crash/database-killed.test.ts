/** The embedded PostgreSQL is killed while clients write. The service starts it again, and no acknowledged write is lost. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { lost, startWriters } from '../../support/consistency/acknowledged'
import { checkConsistency } from '../../support/consistency/check-consistency'
import { createRequest } from '../../support/http/client'
import { dataFolder } from '../../support/service/data-folder'
import { makeRelatedObjects } from '../../support/fixtures/random-writes'
import { keyIn, type RunningProcess, startProcess } from '../../support/service/start'
import { until } from '../../support/until'
import { createRecord, recordIdOf } from '../../support/fixtures/value-cases'
import { findWholeRecords } from '../../support/consistency/whole-records'

const folder = dataFolder()
const settings = { RELATA_DATA_DIR: folder.path }

let running: RunningProcess

beforeAll(async () => {
  running = await startProcess(settings)
})

afterAll(async () => {
  const code = await running.stop()
  folder.remove()
  expect(code).toBe(0)
})

test('no acknowledged write is lost when PostgreSQL is killed during writes, and then the service', async () => {
  const key = keyIn(running.output())
  const request = createRequest(running.url, key)
  await makeRelatedObjects(request)
  const groups = [recordIdOf(await createRecord(request, 'beta', {}))]
  const writers = startWriters(running.url, key, groups)
  await isSoon(() => writers.acknowledged.length > 20)
  await folder.killDatabase(recentOutput)
  const before = writers.acknowledged.length
  await isSoon(() => writers.acknowledged.length > before + 10)
  await running.kill()
  await writers.stop()

  running = await startProcess(settings)
  expect(await lost(createRequest(running.url, key), writers.acknowledged)).toEqual([])
  await expectWhole()
})

const expectWhole = () =>
  folder.withReader(async (reader) => {
    expect(await checkConsistency(reader)).toEqual([])
    expect((await findWholeRecords(reader)).torn).toEqual([])
  })

const recentOutput = () => running.output().slice(-3000)

const isSoon = (isSo: () => boolean): Promise<void> => until(isSo, { why: recentOutput })
