/** The service is killed while clients write. Every acknowledged write is stored, and no write is stored in part. */

import { expect, test } from 'bun:test'
import { lost, startWriters } from '../../support/consistency/acknowledged'
import { checkConsistency } from '../../support/consistency/check-consistency'
import { checkRelationships } from '../../support/consistency/check-relationships'
import { openReader } from '../../support/service/database'
import { forThisFile } from '../../support/service/service-per-file'
import { makeRelatedObjects } from '../../support/fixtures/random-writes'
import { startService } from '../../support/service/service'
import { until } from '../../support/until'
import { createRecord, recordIdOf } from '../../support/fixtures/value-cases'
import { findWholeRecords } from '../../support/consistency/whole-records'

const service = forThisFile(async () => {
  const started = await startService()
  await makeRelatedObjects(started.request)
  return started
})

test('no acknowledged write is lost when the service is killed twice during writes', async () => {
  const { request, key, crash } = service()
  const groups = [
    recordIdOf(await createRecord(request, 'beta', {})),
    recordIdOf(await createRecord(request, 'beta', {})),
  ]
  for (let round = 0; round < 2; round++) {
    const writers = startWriters(service().url, key, groups)
    await until(() => writers.acknowledged.length >= 20)
    await crash()
    await writers.stop()
    expect(await lost(request, writers.acknowledged)).toEqual([])
  }
  const reader = openReader(service().databaseUrl)
  try {
    expect(await checkConsistency(reader)).toEqual([])
    const { ids, torn } = await findWholeRecords(reader)
    expect(torn).toEqual([])
    expect(await checkRelationships(request, { alpha: ids, beta: groups })).toEqual([])
  } finally {
    await reader.end()
  }
})
