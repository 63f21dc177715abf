/** The service is killed at every point of a delivery, and its connections are closed. Each event arrives, with one key. */

import { afterEach, beforeAll, expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { PATIENCE_MS, until } from '../../support/until'
import { startFixture } from './fixture'
import { numbered, startCounter, type Counter } from './lost-nothing'

/** Set DELIVERY_EVENTS=100000 for a long run. */
const EVENTS = Number(process.env.DELIVERY_EVENTS ?? 2_000)
const most = PATIENCE_MS + EVENTS * 10
/** At most this many attempts are sent and not recorded when a process is killed. */
const MOST_REPEATED = 500

const fixture = forThisFile(() => startFixture())
let prefix = ''
let count = 0
beforeAll(() => fixture().webhook('http://127.0.0.1:9/nobody', ['task.created']))

const counters: Counter[] = []
async function counter(...decide: Parameters<typeof startCounter>): Promise<Counter> {
  const started = await startCounter(...decide)
  counters.push(started)
  await fixture().webhook(`http://127.0.0.1:${started.port}/hook`)
  return started
}
afterEach(async () => {
  for (const { close } of counters.splice(0)) close()
  await fixture().reader`delete from relata.webhooks where target_url like '%/hook'`
})

const ids = (events: number): string[] => numbered((prefix = `t${(count += 1)}-`), events)
const kill = () => process.kill(fixture().running.pid, 'SIGKILL')

/** Makes all pending deliveries due, so that the test does not wait for the back-off. */
const makeAllDue = () => fixture().reader`
  with due as (
    update relata.deliveries set due_at = now() where status = 'waiting' and body like ${`%"${prefix}%`} and due_at > now()
    returning webhook_id
  ) update relata.webhooks set due_at = now() where id in (select webhook_id from due)`

async function allSucceed(): Promise<void> {
  const left = async () => {
    await makeAllDue()
    const [row] = await fixture().reader`
      select count(*)::int as count from relata.deliveries
      where status <> 'succeeded' and event_type = 'list.created' and body like ${`%"${prefix}%`}`
    return row?.count
  }
  await until(async () => (await left()) === 0, { why: left, most })
}

test('each event arrives when the service is killed before, between and after sends', async () => {
  const receivers = [await counter(), await counter(), await counter()]
  const expected = ids(EVENTS)
  await fixture().happen(expected)
  for (const share of [0, 0.1, 0.3, 0.6, 0.9]) {
    await until(() => receivers.some(({ distinct }) => distinct() >= EVENTS * share), { most })
    await fixture().restart()
  }
  await until(() => receivers.every(({ distinct }) => distinct() === EVENTS), { most })
  await allSucceed()
  for (const receiver of receivers) {
    expect(receiver.faults(expected)).toEqual([])
    expect(receiver.repeated()).toBeLessThan(5 * MOST_REPEATED)
  }
}, 600_000)

test('each event arrives when the service is killed between an attempt and its recording', async () => {
  const receiver = await counter((_, nth) => {
    if (nth === 7 || nth === 60) kill()
    return 204
  })
  const expected = ids(200)
  await fixture().happen(expected)
  for (const nth of [7, 60]) {
    await until(() => receiver.received.length >= nth)
    await fixture().restart()
  }
  await allSucceed()
  expect(receiver.faults(expected)).toEqual([])
  expect(receiver.repeated()).toBeGreaterThan(0)
})

test('each event arrives when the service is killed during a retry', async () => {
  let isKilled = false
  const receiver = await counter(({ headers }) => {
    if (headers.get('X-Relata-Delivery-Attempt') === '1') return 503
    if (!isKilled) kill()
    isKilled = true
    return 200
  })
  const expected = ids(20)
  await fixture().happen(expected)
  await until(() => receiver.distinct() === expected.length)
  await until(async () => {
    await makeAllDue()
    return isKilled
  })
  await fixture().restart()
  await allSucceed()
  expect(receiver.faults(expected)).toEqual([])
})

test('the process continues after its connections to the database were closed several times', async () => {
  const receivers = [await counter(), await counter()]
  const { pid } = fixture().running
  const expected = ids(EVENTS)
  await fixture().happen(expected)
  for (const share of [0, 0.1, 0.3, 0.6, 0.9]) {
    await until(() => receivers.some(({ distinct }) => distinct() >= EVENTS * share), { most })
    await fixture().reader`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'relata %'`
  }
  await until(() => receivers.every(({ distinct }) => distinct() === EVENTS), { most })
  await allSucceed()
  for (const receiver of receivers) expect(receiver.faults(expected)).toEqual([])
  expect(fixture().running.pid).toBe(pid)
}, 600_000)
