import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { connect } from '#db/connect'
import { appendToOutbox } from '#engine/outbox/outbox'
import { publishBatch } from '#events/feed/publish'
import { useTestService } from '#testing/use-service'
import type { InsertedDeliveries } from '#events/webhooks/delivery'
import { matchEvents } from '#events/webhooks/match/match-events'
import { createRecorder, type AttemptOutcome } from './attempt-recorder'

const service = useTestService()
beforeAll(async () => {
  const data = { target_url: 'https://example.com/hook', subscriptions: [{ event_type: 'list.created', filter: null }] }
  await service.request('POST', '/v2/webhooks', { data })
})

let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeEach(async () => {
  complaints = spyOn(console, 'error').mockImplementation(() => {})
  await service.db.sql`delete from relata.deliveries`
  await service.db.sql`delete from relata.delivery_attempts`
  await service.db.sql`alter table relata.delivery_attempts drop constraint if exists no_poison`
})
afterAll(() => complaints.mockRestore())

const now = () => service.appContext.now()

/** Successful attempts, one at a new delivery for each response body. */
async function attempts(...bodies: string[]): Promise<AttemptOutcome[]> {
  const origin = { workspaceId: service.workspaceId, actor: 0, at: now() }
  for (const list_id of bodies) {
    await appendToOutbox(service.db.sql, origin, [{ event_type: 'list.created', id: { list_id } }])
  }
  let inserted: InsertedDeliveries[] = []
  await publishBatch(service.db, now, async (tx, events) => {
    inserted = await matchEvents(tx, events)
  })
  const [{ webhook, deliveries }] = inserted as [InsertedDeliveries]
  return deliveries.map((delivery, index) => ({
    webhook,
    delivery,
    at: now(),
    requestHeaders: { 'Content-Type': 'application/json' },
    result: { status: 200, headers: {}, body: bodies[index] ?? '', problem: undefined, duration: 1, address: '::1' },
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

describe('the outcomes of attempts', () => {
  test('are stored together', async () => {
    const recorder = createRecorder(service.db, { random: () => 0.5 })
    const outcomes = await attempts('a', 'b', 'c')
    expect(await Promise.all(outcomes.map(recorder.record))).toEqual([true, true, true])
    expect(await states()).toEqual(['a', 'b', 'c'].map((body) => ['succeeded', 1, body]))
  })

  test('are stored with every character of the response', async () => {
    const recorder = createRecorder(service.db, { random: () => 0.5 })
    const [outcome] = (await attempts('a')) as [AttemptOutcome]
    const text = '"\\ \x1d\x1e\x1f\t {},\u2028 é 𝄞'
    const problem = { code: 'broken_off', message: text } as const
    const requestHeaders = { 'X-Text': text }
    const result = { ...outcome.result, body: text, headers: { 'x-text': text }, problem }
    await recorder.record({ ...outcome, requestHeaders, result })
    const [row] = await service.db.sql`
      select response_body, response_headers, request_headers, problem, problem_code from relata.delivery_attempts`
    expect({ ...row }).toEqual({
      response_body: text,
      response_headers: JSON.stringify({ 'x-text': text }),
      request_headers: JSON.stringify(requestHeaders),
      problem: text,
      problem_code: 'broken_off',
    })
  })

  test('are stored without the response when the database refuses it, and delay no other outcome', async () => {
    await forbid(`response_body <> 'poison'`)
    let refused = 0
    const recorder = createRecorder(service.db, { random: () => 0.5, onRefused: () => (refused += 1) })
    const outcomes = await attempts('a', 'poison', 'c')
    expect(await Promise.all(outcomes.map(recorder.record))).toEqual([true, true, true])
    expect(await states()).toEqual([
      ['succeeded', 1, 'a'],
      ['succeeded', 1, expect.stringContaining('could not be stored: PostgresError')],
      ['succeeded', 1, 'c'],
    ])
    expect(refused).toBe(1)
    expect(complaints.mock.calls.at(-1)?.[0]).toContain(outcomes[1]?.delivery.id ?? 'none')
  })

  test('fail the delivery when the database refuses them without the response as well', async () => {
    const outcomes = await attempts('a', 'poison', 'c')
    await forbid(`delivery_id <> '${outcomes[1]?.delivery.id}'`)
    const recorder = createRecorder(service.db, { random: () => 0.5 })
    expect(await Promise.all(outcomes.map(recorder.record))).toEqual([true, true, true])
    expect(await states()).toEqual([
      ['succeeded', 1, 'a'],
      ['failed', 0, null],
      ['succeeded', 1, 'c'],
    ])
  })

  test('wait for a database that does not answer, until the recorder stops retrying; then the delivery stays due', async () => {
    const outcomes = await attempts('a')
    const away = connect('postgres://nobody@127.0.0.1:9/none')
    const recorder = createRecorder(away, { random: () => 0.5 })
    const recorded = Promise.all(outcomes.map(recorder.record))
    recorder.stopRetrying()
    expect(await recorded).toEqual([false])
    expect(await states()).toEqual([['waiting', 0, null]])
    await away.sql.end({ timeout: 0 })
  })
})
