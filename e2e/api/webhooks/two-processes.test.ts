/** Two processes on one database share the deliveries; one is killed meanwhile. */

import { expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { until } from '../../support/until'
import { startFixture } from './fixture'
import { numbered, startCounter } from './lost-nothing'

const fixture = forThisFile(() => startFixture())
const WEBHOOKS = 12
const EVENTS = 300

test('each webhook gets each event once and in order, and at least once when a process is killed', async () => {
  const counters = await Promise.all(Array.from({ length: WEBHOOKS }, () => startCounter()))
  const another = await fixture().startAnother()
  for (const { port } of counters) await fixture().webhook(`http://127.0.0.1:${port}/hook`)
  const first = numbered('a', EVENTS)
  for (let from = 0; from < EVENTS; from += 50) await fixture().happen(first.slice(from, from + 50))
  await until(() => counters.every(({ distinct }) => distinct() === EVENTS))
  for (const counter of counters) {
    expect(counter.faults(first)).toEqual([])
    expect(counter.repeated()).toBe(0)
  }

  const second = numbered('b', EVENTS)
  await fixture().happen(second)
  await until(() => counters.some(({ distinct }) => distinct() > EVENTS + EVENTS / 3))
  await another.kill()
  await until(() => counters.every(({ distinct }) => distinct() === 2 * EVENTS))
  for (const counter of counters) {
    expect(counter.faults([...first, ...second])).toEqual([])
    counter.close()
  }
})
