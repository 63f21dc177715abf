/**
 * A sales pipeline: companies from a file are selected by a query, moved from stage to stage over some days, shown on a
 * board, deleted and merged.
 * See docs/reference/lists-and-entries.md, docs/reference/views.md and docs/reference/records.md (Merge).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import type { AnswerBody } from '#testing/client'
import { join } from 'node:path'
import { importCommand } from '#run/cli/import/command'
import { runCommand } from '#testing/command-line'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { type Micros, timestampFromMicros } from '#base/timing/clock'

const STARTUPS = join(import.meta.dir, '../../../../e2e/data/startups.csv')
const STAGES = ['Sourced', 'Contacted', 'Negotiation', 'Won', 'Lost']
const DAY = 86_400_000_000
const BEGIN = Date.UTC(2031, 2, 30, 9, 30) * 1000 + 123_456

const at = (day: number): Micros => BEGIN + day * DAY
const instant = (day: number) => timestampFromMicros(at(day))

/** The stages of an entry by day. The entries use these journeys in turn, and each begins on its first day. */
const JOURNEYS: readonly (readonly [day: number, stage: string])[][] = [
  [
    [0, 'Sourced'],
    [1, 'Contacted'],
    [4, 'Won'],
  ],
  [
    [0, 'Sourced'],
    [2, 'Lost'],
  ],
  [[0, 'Sourced']],
  [
    [0, 'Sourced'],
    [1, 'Contacted'],
    [3, 'Sourced'],
    [7, 'Negotiation'],
  ],
  [[5, 'Contacted']],
]

interface Company {
  readonly id: string
  readonly name: string
  readonly city: string | undefined
  readonly raised: number
}

interface Tracked extends Company {
  readonly entry: string
  readonly journey: (typeof JOURNEYS)[number]
}

const service = useTestService()
const lists = listClient(service)
let tracked: Tracked[]
beforeAll(async () => {
  await importStartups()
  await makePipeline()
  tracked = await track(await pick())
  await moveAll()
})

async function importStartups(): Promise<void> {
  const words = ['companies', STARTUPS, '--create-attributes', '--create-options']
  const lines = await runCommand(service, importCommand, words)
  expect(lines.join('\n')).toContain('688 rows read: 688 created')
  await service.appContext.models.reload(service.workspaceId)
}

async function makePipeline(): Promise<void> {
  await lists.list({ api_slug: 'pipeline', name: 'Pipeline', parent_object: 'companies' })
  await lists.attribute('pipeline', 'stage', { type: 'status', is_required: true })
  await lists.attribute('pipeline', 'remark')
  for (const title of STAGES) {
    const data = { title, celebration_enabled: title === 'Won', target_time_in_status: 'P2D' }
    const { status } = await service.request('POST', '/v2/lists/pipeline/attributes/stage/statuses', { data })
    expect(status).toBe(200)
  }
}

const companyOf = ({ id, values }: AnswerBody): Company => ({
  id: id.record_id,
  name: values.name[0]?.value,
  city: values.primary_location[0]?.locality,
  raised: values.amounts_raised[0]?.currency_value ?? 0,
})

const queryCompanies = async (body: object): Promise<Company[]> =>
  (await service.request('POST', '/v2/objects/companies/records/query', body)).body.data.map(companyOf)

/** Queries the best funded companies of two cities. */
async function pick(): Promise<Company[]> {
  const all = [...(await queryCompanies({})), ...(await queryCompanies({ offset: 500 }))]
  const wanted = all.filter(
    ({ city, raised }) => raised >= 5_000_000 && (city === 'San Francisco' || city === 'New York'),
  )
  const inCity = (locality: string) => ({ primary_location: { locality } })
  const filter = {
    $and: [{ amounts_raised: { $gte: 5_000_000 } }, { $or: [inCity('San Francisco'), inCity('New York')] }],
  }
  const found = await queryCompanies({ filter, sorts: [{ attribute: 'amounts_raised', direction: 'desc' }] })
  expect(found.map(({ id }) => id).toSorted()).toEqual(wanted.map(({ id }) => id).toSorted())
  expect(found.length).toBeGreaterThan(20)
  return found
}

const body = (record: string, stage: string) => ({
  data: { parent_object: 'companies', parent_record_id: record, entry_values: { stage } },
})

async function track(companies: readonly Company[]): Promise<Tracked[]> {
  const made: Tracked[] = []
  for (const [index, company] of companies.entries()) {
    const journey = JOURNEYS[index % JOURNEYS.length] ?? []
    const [[day, stage] = [0, '']] = journey
    service.setNow(at(day))
    const answer = await service.request('POST', '/v2/lists/pipeline/entries', body(company.id, stage))
    expect([answer.status, answer.body.message]).toEqual([200, undefined])
    made.push({ ...company, journey, entry: answer.body.data.id.entry_id })
  }
  return made
}

/** Moves half of the entries by their id, half by their company. A second move to the same stage on the same day changes nothing. */
async function moveAll(): Promise<void> {
  for (const [index, { id, entry, journey }] of tracked.entries()) {
    for (const [day, stage] of journey.slice(1)) {
      for (const later of [0, 1000]) {
        service.setNow(at(day) + later)
        const { status } =
          index % 2 === 0
            ? await lists.update('PATCH', 'pipeline', entry, { stage })
            : await service.request('PUT', '/v2/lists/pipeline/entries', body(id, stage))
        expect(status).toBe(200)
      }
    }
  }
  service.setNow(at(10))
}

const stageOf = ({ journey }: Tracked) => journey.at(-1)?.[1]
const since = ({ journey }: Tracked) => journey.at(-1)?.[0] ?? 0
const entriesOf = (some: readonly Tracked[]) => some.map(({ entry }) => entry).toSorted()

/** Returns the ids of the entries in the order of the response. */
async function found(query: object): Promise<string[]> {
  const { status, body } = await lists.query('pipeline', query)
  expect([status, body.message]).toEqual([200, undefined])
  return body.data.map(({ id }: { id: { entry_id: string } }) => id.entry_id)
}

const toCompany = (attribute: string, constraints: unknown) => ({
  path: [
    ['pipeline', 'parent_record'],
    ['companies', attribute],
  ],
  constraints,
})

describe('entries over time', () => {
  test('have their latest stage, active from the day of the move', async () => {
    for (const each of tracked) {
      const { body } = await lists.get('pipeline', each.entry)
      const { stage, created_at } = body.data.entry_values
      expect(stage).toHaveLength(1)
      expect([stage[0].status.title, stage[0].active_from, stage[0].active_until]).toEqual([
        stageOf(each),
        instant(since(each)),
        null,
      ])
      expect([stage[0].status.celebration_enabled, stage[0].status.target_time_in_status]).toEqual([
        stageOf(each) === 'Won',
        'P2D',
      ])
      expect([body.data.created_at, created_at[0].value]).toEqual(Array(2).fill(instant(each.journey[0]?.[0] ?? 0)))
    }
  })

  test('have a history with the duration of each stage, to the microsecond', async () => {
    for (const { entry, journey } of tracked) {
      const path = `/v2/lists/pipeline/entries/${entry}/attributes/stage/values?show_historic=true`
      const { body } = await service.request('GET', path)
      const spans = body.data.map(
        (version: { status: { title: string }; active_from: string; active_until: string | null }) => [
          version.status.title,
          version.active_from,
          version.active_until,
        ],
      )
      expect(spans).toEqual(
        journey.map(([day, stage], index) => {
          const next = journey[index + 1]
          return [stage, instant(day), next ? instant(next[0]) : null]
        }),
      )
    }
  })
})

describe('POST /v2/lists/pipeline/entries/query', () => {
  test.each(STAGES)('200 with all entries in stage %s', async (stage) => {
    const expected = tracked.filter((each) => stageOf(each) === stage)
    expect((await found({ filter: { stage } })).toSorted()).toEqual(entriesOf(expected))
  })

  test.each([0, 2, 3, 4.5, 8])('200 with all entries that have not moved since day %p', async (day) => {
    const expected = tracked.filter((each) => since(each) < day)
    const filter = { stage: { active_from: { $lt: instant(day) } } }
    expect((await found({ filter })).toSorted()).toEqual(entriesOf(expected))
  })

  test('200 with the entries of a stage whose company is in a city or has raised more', async () => {
    const expected = tracked.filter(
      (each) => stageOf(each) === 'Won' && (each.city === 'New York' || each.raised > 20_000_000),
    )
    const where = toCompany('primary_location', { locality: 'New York' })
    const funding = toCompany('amounts_raised', { currency_value: { $gt: 20_000_000 } })
    const filter = { $and: [{ stage: 'Won' }, { $or: [where, funding] }] }
    expect(expected.length).toBeGreaterThan(0)
    expect((await found({ filter })).toSorted()).toEqual(entriesOf(expected))
  })

  test('200 in the order of the stages, the best funded first', async () => {
    const sorts = [
      { attribute: 'stage', direction: 'asc' },
      { ...toCompany('amounts_raised', undefined), direction: 'desc' },
    ]
    const place = (each: Tracked) => STAGES.indexOf(stageOf(each) ?? '')
    const ranks = (await found({ sorts })).map((id) => {
      const each = tracked.find(({ entry }) => entry === id)
      return each ? [place(each), -each.raised] : []
    })
    const inOrder = (one: number[], other: number[]) =>
      (one[0] ?? 0) - (other[0] ?? 0) || (one[1] ?? 0) - (other[1] ?? 0)
    expect(ranks).toEqual(ranks.toSorted(inOrder))
    expect(ranks).toHaveLength(tracked.length)
  })

  test('200 with the open entries of a board, by its view', async () => {
    const filter = { $not: { stage: { $in: ['Won', 'Lost'] } } }
    const data = { title: 'Board', type: 'board', filter, visible_attributes: ['stage', 'remark'] }
    const view = await service.request('POST', '/v2/lists/pipeline/views', { data })
    expect([view.status, view.body.data.type]).toEqual([200, 'board'])
    const open = tracked.filter((each) => !['Won', 'Lost'].includes(stageOf(each) ?? ''))
    const { view_id: filter_view_id } = view.body.data.id
    expect((await found({ filter_view_id })).toSorted()).toEqual(entriesOf(open))
  })
})

describe('deleted and merged companies', () => {
  test('a deleted company deletes its entries', async () => {
    const gone = tracked.pop()
    if (!gone) throw new Error('Nothing is tracked.')
    expect((await service.request('DELETE', `/v2/objects/companies/records/${gone.id}`)).status).toBe(200)
    expect((await lists.get('pipeline', gone.entry)).status).toBe(404)
    expect((await found({})).toSorted()).toEqual(entriesOf(tracked))
  })

  test('the merged company has the entries of both, with their histories', async () => {
    const [primary, secondary] = [tracked[0], tracked[3]]
    if (!primary || !secondary) throw new Error('Too few are tracked.')
    service.setNow(at(11))
    const data = { primary_record_id: primary.id, secondary_record_id: secondary.id }
    const merged = await service.request('POST', '/v2/objects/companies/records/merge', { data })
    expect(merged.status).toBe(200)
    const id = merged.body.data.new_record_id
    const both = entriesOf([primary, secondary])
    expect((await found({ filter: { parent_record: id } })).toSorted()).toEqual(both)
    expect((await found({ filter: toCompany('name', primary.name) })).toSorted()).toEqual(both)
    for (const { entry, journey } of [primary, secondary]) {
      const { body } = await lists.get('pipeline', entry)
      expect([body.data.parent_record_id, body.data.entry_values.stage[0].active_from]).toEqual([
        id,
        instant(journey.at(-1)?.[0] ?? 0),
      ])
      const path = `/v2/lists/pipeline/entries/${entry}/attributes/stage/values?show_historic=true`
      expect((await service.request('GET', path)).body.data).toHaveLength(journey.length)
    }
    const again = await service.request('PUT', '/v2/lists/pipeline/entries', body(id, 'Won'))
    expect([again.status, again.body.code]).toEqual([400, 'multiple_match_results'])
    const old = await service.request('PUT', '/v2/lists/pipeline/entries', body(primary.id, 'Won'))
    expect([old.status, old.body.code]).toEqual([400, 'value_not_found'])
  })
})
