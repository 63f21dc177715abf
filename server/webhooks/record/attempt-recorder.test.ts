import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { connect } from '../../../db/connect'
import { appendToOutbox } from '../../events/outbox'
import { publishBatch } from '../../events/publish'
import { testService, type TestService } from '../../testing/service'
import type { Made } from '../match/insert-deliveries'
import { matchEvents } from '../match/match-events'
import type { Outcome } from './save-attempts'
import { createRecorder } from './attempt-recorder'

let service: TestService
beforeAll(async () => {
  service = await testService()
  const data = { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'list.created', filter: null }] }
  await service.request('POST', '/v2/webhooks', { data })
})
afterAll(() => service.close())

let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeEach(async () => {
  complaints = spyOn(console, 'error').mockImplementation(() => {})
  await service.db.sql`delete from relata.deliveries`
  await service.db.sql`delete from relata.delivery_attempts`
  await service.db.sql`alter table relata.delivery_attempts drop constraint if exists no_poison`
})
afterAll(() => complaints.mockRestore())

const now = () => service.appContext.now()

/** An attempt that succeeded at each of so many deliveries, with these answers. */
async function attempts(...bodies: string[]): Promise<Outcome[]> {
  const origin = { workspaceId: service.workspaceId, actor: 0, at: now() }
  for (const list_id of bodies) {
    await appendToOutbox(service.db.sql, origin, [{ event_type: 'list.created', id: { list_id } }])
  }
  let made: Made[] = []
  await publishBatch(service.db, now, async (tx, events) => {
    made = await matchEvents(tx, events)
  })
  const [{ hook, first }] = made as [Made]
  return first.map((delivery, index) => ({
    hook,
    delivery,
    at: now(),
    requestHeaders: { 'Content-Type': 'application/json' },
    attempted: { status: 200, headers: {}, body: bodies[index] ?? '', problem: undefined, duration: 1, address: '::1' },
  }))
}

const states = async () =>
  (
    await service.db.sql`
      select d.status, d.attempts, a.response_body from relata.deliveries d
      left join relata.delivery_attempts a on a.delivery_id = d.id order by d.position`
  ).map(({ status, attempts: count, response_body }) => [status, count, response_body])

const forbid = (condition: string) =>
  service.db.sql.unsafe(`alter table relata.delivery_attempts add constraint no_poison check (${condition})`)

describe('what came of attempts', () => {
  test('is kept together', async () => {
    const recorder = createRecorder({ db: service.db, random: () => 0.5 })
    const outcomes = await attempts('a', 'b', 'c')
    expect(await Promise.all(outcomes.map(recorder.record))).toEqual([true, true, true])
    expect(await states()).toEqual(['a', 'b', 'c'].map((body) => ['succeeded', 1, body]))
  })

  test('and that the database refuses is kept without its answer, and holds up none of the others', async () => {
    await forbid(`response_body <> 'poison'`)
    let refused = 0
    const recorder = createRecorder({ db: service.db, random: () => 0.5, onRefused: () => (refused += 1) })
    const outcomes = await attempts('a', 'poison', 'c')
    expect(await Promise.all(outcomes.map(recorder.record))).toEqual([true, true, true])
    expect(await states()).toEqual([
      ['succeeded', 1, 'a'],
      ['succeeded', 1, expect.stringContaining('could not be kept: PostgresError')],
      ['succeeded', 1, 'c'],
    ])
    expect(refused).toBe(1)
    expect(complaints.mock.calls.at(-1)?.[0]).toContain(outcomes[1]?.delivery.id ?? 'none')
  })

  test('and cannot be kept at all is the end of its delivery', async () => {
    const outcomes = await attempts('a', 'poison', 'c')
    await forbid(`delivery_id <> '${outcomes[1]?.delivery.id}'`)
    const recorder = createRecorder({ db: service.db, random: () => 0.5 })
    expect(await Promise.all(outcomes.map(recorder.record))).toEqual([true, true, true])
    expect(await states()).toEqual([
      ['succeeded', 1, 'a'],
      ['failed', 0, null],
      ['succeeded', 1, 'c'],
    ])
  })

  test('waits for a database that is away, unless it is told to give up: then it stays due', async () => {
    const outcomes = await attempts('a')
    const away = connect('postgres://nobody@127.0.0.1:9/none')
    const recorder = createRecorder({ db: away, random: () => 0.5 })
    const recorded = Promise.all(outcomes.map(recorder.record))
    recorder.giveUp()
    expect(await recorded).toEqual([false])
    expect(await states()).toEqual([['waiting', 0, null]])
    await away.sql.end({ timeout: 0 })
  })
})
