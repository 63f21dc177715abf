/** Summaries of status histories, compared with the histories that the API gives. See docs/reference/query.md (Status histories). */

import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { attributeClient, attributeInput } from '#testing/attributes'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const api = attributeClient(service)
const lists = listClient(service)
let object: string
let list: string

const STATUSES = ['Sourced', 'Contacted', 'Won', 'Lost']
const DAY = 86_400_000
const NOW = Date.UTC(2031, 0, 15)
const RECORDS = 40
/** The days on which statuses are given, ascending, and whether the last one lasts. */
const journey = fc.record({
  steps: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 375 }), fc.constantFrom(...STATUSES)), {
    selector: ([day]) => day,
    maxLength: 5,
  }),
  lasts: fc.boolean(),
})

interface Stay {
  readonly id: string
  readonly status: string
  readonly from: number
  readonly until: number | null
}
/** Of the records and of the entries. */
const stays: Record<'records' | 'entries', Stay[]> = { records: [], entries: [] }
const pathOf = (kind: 'records' | 'entries') =>
  kind === 'records' ? `/v2/objects/${object}/records` : `/v2/lists/${list}/entries`

beforeAll(async () => {
  object = await api.object()
  await api.create(object, attributeInput({ api_slug: 'stage', type: 'status' }))
  await api.create(object, attributeInput({ api_slug: 'size', type: 'number' }))
  list = await lists.list({ parent_object: object })
  await lists.attribute(list, 'stage', { type: 'status' })
  for (const place of [`objects/${object}`, `lists/${list}`]) {
    for (const title of STATUSES) {
      const data = { title, target_time_in_status: { Sourced: 'P3M', Contacted: 'P60D' }[title] ?? null }
      await service.request('POST', `/v2/${place}/attributes/stage/statuses`, { data })
    }
  }
  for (const [index, { steps, lasts }] of fc.sample(journey, { numRuns: RECORDS, seed: 5 }).entries()) {
    const id = await api.record(object, { size: index })
    await write('records', id, steps, lasts)
    if (index % 3 > 0) continue
    const data = { parent_object: object, parent_record_id: id, entry_values: {} }
    const { body } = await service.request('POST', `/v2/lists/${list}/entries`, { data })
    await write('entries', body.data.id.entry_id, steps, lasts)
  }
  service.setNow(NOW * 1000)
})

type Steps = [day: number, status: string][]

async function write(kind: 'records' | 'entries', id: string, steps: Steps, lasts: boolean): Promise<void> {
  if (steps.length === 0) return
  const ordered = steps.toSorted(([one], [other]) => one - other)
  const written = ordered.map(([day, status], index) => {
    const from = Date.UTC(2030, 0, 1) + day * DAY
    const next = ordered[index + 1]
    const until = next ? Date.UTC(2030, 0, 1) + next[0] * DAY : lasts ? null : from + 90 * 60_000
    stays[kind].push({ id, status, from, until })
    return { value: status, active_from: iso(from), active_until: until === null ? null : iso(until) }
  })
  const path = `${pathOf(kind)}/${id}/attributes/stage/values`
  const { status, body } = await service.request('PUT', path, { data: { replace_history: true, values: written } })
  expect([status, body.message]).toEqual([200, undefined])
}

const iso = (time: number) => new Date(time).toISOString()

/** Computed from the stays that were written. */
function expected(all: readonly Stay[]) {
  return STATUSES.map((title) => {
    const inStatus = all.filter(({ status }) => status === title)
    const lasting = inStatus.filter(({ until }) => until === null)
    const seconds = inStatus
      .flatMap(({ from, until }) => (until === null ? [] : [(until - from) / 1000]))
      .toSorted((a, b) => a - b)
    const middle = seconds.length / 2 - 0.5
    // The target is three months of the calendar for the first status, and 60 days for the second.
    const threshold = { Sourced: Date.UTC(2030, 9, 15), Contacted: NOW - 60 * DAY }[title] ?? -Infinity
    return {
      title,
      reached: new Set(inStatus.map(({ id }) => id)).size,
      current: lasting.length,
      ended: seconds.length,
      average_seconds: seconds.length === 0 ? null : seconds.reduce((a, b) => a + b) / seconds.length,
      median_seconds: seconds.length === 0 ? null : (seconds[Math.floor(middle)]! + seconds[Math.ceil(middle)]!) / 2, // both are within
      over_target: lasting.filter(({ from }) => from < threshold).length,
    }
  })
}

interface Summary {
  readonly status: { readonly title: string }
  readonly average_seconds: number | null
}
const summarize = (kind: 'records' | 'entries', body: object) =>
  service.request('POST', `${pathOf(kind)}/status-history`, { attribute: 'stage', ...body })
const round = (seconds: number | null) => (seconds === null ? null : Math.round(seconds))
const shown = (statuses: readonly Summary[]) =>
  statuses.map(({ status, ...numbers }) => ({
    title: status.title,
    ...numbers,
    average_seconds: round(numbers.average_seconds),
  }))
const rounded = (rows: ReturnType<typeof expected>) =>
  rows.map((row) => ({ ...row, average_seconds: round(row.average_seconds) }))

describe.each(['records', 'entries'] as const)('POST …/%s/status-history', (kind) => {
  test('200 with the numbers and times of all statuses, in their order', async () => {
    const { status, body } = await summarize(kind, {})
    expect([status, body.message]).toEqual([200, undefined])
    const all = expected(stays[kind])
    expect(shown(body.data.statuses)).toEqual(rounded(all))
    expect(body.data.statuses[0].status.target_time_in_status).toBe('P3M')
    // Data without these would test little.
    expect(all.some(({ over_target }) => over_target > 0)).toBe(true)
    expect(all.some(({ over_target, current }) => over_target < current)).toBe(true)
    expect(all.some(({ ended }) => ended > 2)).toBe(true)
  })

  test('200 of the statuses that were given within a period', async () => {
    const within = (from: number, until: number) => stays[kind].filter((stay) => stay.from >= from && stay.from < until)
    const range = { $gte: '2030-03-01', $lt: '2030-08-01T00:00:00Z' }
    const { body } = await summarize(kind, { entered: range })
    expect(shown(body.data.statuses)).toEqual(rounded(expected(within(Date.UTC(2030, 2, 1), Date.UTC(2030, 7, 1)))))
    const relative = await summarize(kind, { entered: { $relative: 'last_year' } })
    expect(shown(relative.body.data.statuses)).toEqual(
      rounded(expected(within(Date.UTC(2030, 0, 1), Date.UTC(2031, 0, 1)))),
    )
  })
})

describe('POST /v2/objects/{object}/records/status-history', () => {
  test('200 of what a filter finds', async () => {
    const { body } = await summarize('records', { filter: { size: { $lt: 10 } } })
    const ids = new Set(
      (await service.request('POST', `${pathOf('records')}/query`, { filter: { size: { $lt: 10 } } })).body.data.map(
        ({ id }: { id: { record_id: string } }) => id.record_id,
      ),
    )
    expect(shown(body.data.statuses)).toEqual(rounded(expected(stays.records.filter(({ id }) => ids.has(id)))))
  })

  test.each([
    [{ attribute: 'size' }, 'validation_type'],
    [{ attribute: 'nothing' }, 'value_not_found'],
    [{ attribute: undefined }, 'validation_type'],
    [{ entered: { $after: '2030-01-01' } }, 'invalid_filter_operator'],
    [{ entered: { $gte: 'yesterday' } }, 'filter_error'],
    [{ entered: 5 }, 'validation_type'],
    [{ filter: { nothing: 1 } }, 'unknown_filter_attribute_slug'],
    [{ time_zone: 'Atlantis' }, 'validation_type'],
    [{ group_by: 'stage' }, 'validation_type'],
  ])('400 for %j', async (members, code) => {
    const { status, body } = await summarize('records', members)
    expect([status, body.code]).toEqual([400, code])
  })

  test('400 with the path inside of entered', async () => {
    const { body } = await summarize('records', { entered: { $after: '2030-01-01' } })
    expect(body.path).toEqual(['entered', '$after'])
  })

  test('404 for an unknown object', async () => {
    const { status } = await service.request('POST', '/v2/objects/nothing/records/status-history', {
      attribute: 'stage',
    })
    expect(status).toBe(404)
  })

  test('200 with target times beyond the range of times', async () => {
    const other = await api.object()
    await api.create(other, attributeInput({ api_slug: 'stage', type: 'status' }))
    const data = { title: 'Open', target_time_in_status: 'P99999999999999999999Y' }
    await service.request('POST', `/v2/objects/${other}/attributes/stage/statuses`, { data })
    await api.record(other, { stage: 'Open' })
    const body = { attribute: 'stage' }
    const answer = await service.request('POST', `/v2/objects/${other}/records/status-history`, body)
    expect(answer.body.data.statuses[0]).toMatchObject({ reached: 1, current: 1, over_target: 0 })
  })
})
