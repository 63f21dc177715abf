/** The load of `bun run soak` with a fixed number of writes, in which PostgreSQL is killed once and the service once. */

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { seed } from '../requests'
import { startKilledService } from './killed-service'
import { soakWrites } from './writes'

const WRITERS = 3
const WRITES_EACH = 20
const COUNTS = 30

test('no write is lost, every event is delivered and all invariants hold after two kills', async () => {
  // However long the start takes on a busy machine.
  const service = await startKilledService(Infinity)
  const count = await service.createCounter('counter')
  const plans = fc.sample(fc.array(soakWrites, { minLength: WRITES_EACH, maxLength: WRITES_EACH }), {
    seed,
    numRuns: WRITERS,
  })
  const kills: Promise<void>[] = []
  const counting = async () => {
    for (let number = 1; number <= COUNTS; number++) {
      if (number === COUNTS / 3) kills.push(service.killDatabase())
      // The service must not be killed before it has started PostgreSQL again.
      if (number === (2 * COUNTS) / 3) kills.push(Promise.all(kills).then(service.killService))
      await count()
    }
  }
  const writing = plans.map(async (plan) => {
    for (const write of plan) await service.write(write)
  })
  await Promise.all([counting(), ...writing])
  await Promise.all(kills)
  expect(await service.check()).toBeGreaterThan(0)
  expect([service.counts.kills, service.faults]).toEqual([2, []])
}, 600_000)
