/** The service is killed while clients write. Every acknowledged write is stored, and no write is stored in part. */

import { expect, test } from 'bun:test'
import { lost, startWriters } from '../../support/acknowledged'
import { checkConsistency } from '../../support/check-consistency'
import { checkRelationships } from '../../support/check-relationships'
import { openReader } from '../../support/database'
import { forThisFile } from '../../support/service-per-file'
import { makeRelatedObjects } from '../../support/random-writes'
import { startService } from '../../support/service'
import { until } from '../../support/until'
import { createRecord, recordIdOf } from '../../support/value-cases'
import { findWholeRecords } from '../../support/whole-records'

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
