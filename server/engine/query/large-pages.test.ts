/** Pages of large entities: they end by their size, or are sent in parts. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'
import { createThingAttribute, createThing } from './testing/things'

const COUNT = 5
/** Two of them exceed a page. */
const LENGTH = 4_100_000

const service = useTestService()
/** As single reads answer them, in the order of creation. */
const people: unknown[] = []

/** Has characters to escape, of one to four bytes, and what could be taken for a mark in place of a text. */
const PATTERN = 'a "quoted" \\ line\nwith é, €, 🎉, \t and \\"\\u00000\\" or ""\\0000"" in it; '
const longText = (n: number, length = LENGTH) =>
  `${['=', 'é', '', '"', '\\', '-', '@'][n]}${n}${PATTERN.repeat(Math.ceil(length / PATTERN.length))}`
    .slice(0, length)
    .toWellFormed()

beforeAll(async () => {
  const { request } = service
  await createThingAttribute(request, 'people', { api_slug: 'notes', type: 'text', is_multiselect: false })
  await createThingAttribute(request, 'people', { api_slug: 'more', type: 'text', is_multiselect: false })
  await createThingAttribute(request, 'people', { api_slug: 'score', type: 'number' })
  for (let n = 0; n < COUNT; n++) {
    const values = { notes: longText(n), more: longText(n, 100_000), score: (n * 3) % COUNT, name: `Person, ${n}` }
    const id = await createThing(request, 'people', values)
    people.push((await request('GET', `/v2/objects/people/records/${id}`)).body.data)
  }
})

const query = (body: object) => service.request('POST', '/v2/objects/people/records/query', body)

const byScore = (direction: 'asc' | 'desc') => ({ sorts: [{ attribute: 'score', direction }] })
const scoreOf = (person: unknown) => (person as { values: { score: { value: number }[] } }).values.score[0]?.value ?? 0
const sorted = (direction: 'asc' | 'desc') =>
  people.toSorted((one, other) => (direction === 'asc' ? 1 : -1) * (scoreOf(one) - scoreOf(other)))

/** Whether two lists of entities are equal. A difference between such texts is too long to be shown. */
const areEqual = (one: unknown, other: unknown) => Bun.deepEquals(one, other)

describe('a page with an offset', () => {
  test('200 with all entities, as single reads answer them', async () => {
    const { status, headers, body } = await query({})
    expect([status, body.data.length, areEqual(body.data, people)]).toEqual([200, COUNT, true])
    expect(body).not.toHaveProperty('pagination')
    expect(headers.get('x-relata-record-query-score')).toBe('1')
  })

  test('200 with a limit, an offset and the total', async () => {
    const { body } = await query({ limit: 3, offset: 1, include_count: true })
    expect([body.data.length, areEqual(body.data, people.slice(1, 4))]).toEqual([3, true])
    expect(body.pagination).toEqual({ total: COUNT })
  })

  test.each(['asc', 'desc'] as const)('200 in the order of a value, %s', async (direction) => {
    const { body } = await query({ ...byScore(direction), limit: 4, offset: 1 })
    expect(areEqual(body.data, sorted(direction).slice(1))).toBe(true)
  })

  test('200 for ids', async () => {
    const ids = people.map((person) => (person as { id: { record_id: string } }).id.record_id)
    const { body } = await query({ filter: { record_id: { $in: ids } } })
    expect(areEqual(body.data, people)).toBe(true)
  })

  test('200 for one entity with a long text', async () => {
    const { body } = await query({ filter: { score: 3 }, fields: ['more'] })
    expect(body.data[0].values.more[0].value).toBe(longText(1, 100_000))
  })

  test('ends with an error when its caller loses access', async () => {
    const key = await service.keyWith(['record_permission:read', 'object_configuration:read'])
    const { body } = await service.app.handle(
      new Request('http://localhost/v2/objects/people/records/query', {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: '{}',
      }),
    )
    const reader = (body as ReadableStream<Uint8Array>).getReader() // a response of success has a body
    await reader.read()
    await service.db.sql`delete from relata.tokens where workspace_id = ${service.workspaceId}
      and created_at = (select max(created_at) from relata.tokens where workspace_id = ${service.workspaceId})`
    while ((await service.request('GET', '/v2/self', undefined, { key })).body.active);
    const readAll = async () => {
      while (!(await reader.read()).done);
    }
    await expect(readAll()).rejects.toThrow()
  })
})

describe('a page with a cursor', () => {
  const walk = async (body: object) => {
    const pages: { data: unknown[]; pagination: { next_cursor: string | null; ended_by_size?: true } }[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = (await query({ ...body, cursor: cursor ?? null })).body
      pages.push(page)
      cursor = page.pagination.next_cursor
    }
    return pages
  }

  test('200 with fewer entities than its limit, and the next page after them', async () => {
    for (const [body, expected] of [
      [{}, people],
      [byScore('desc'), sorted('desc')],
    ] as const) {
      const pages = await walk(body)
      expect(pages.map(({ data, pagination }) => [data.length, pagination.ended_by_size])).toEqual([
        [2, true],
        [2, true],
        [1, undefined],
      ])
      expect(areEqual(pages.flatMap(({ data }) => data), expected)).toBe(true) // prettier-ignore
    }
  })

  test('200 with its limit where that is smaller', async () => {
    const pages = await walk({ limit: 1, fields: ['more'] })
    expect(pages.map(({ data, pagination }) => [data.length, pagination.ended_by_size])).toEqual(
      Array.from({ length: COUNT }, () => [1, undefined]),
    )
  })
})

describe('an export', () => {
  const exportOf = async (parameters: string) =>
    (await service.request('GET', `/v2/objects/people/records/export?${parameters}`)).body

  test('as NDJSON has the same entities', async () => {
    const lines = (await exportOf('')).trimEnd().split('\n')
    expect(areEqual(lines.map((line: string) => JSON.parse(line)), people)).toBe(true) // prettier-ignore
  })

  test('as CSV has the same texts, with formulas escaped', async () => {
    const rows = Array.from({ length: COUNT }, (_, n) => {
      const cell = (text: string) => `"${/^[=+\-@]/.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`
      return `${cell(longText(n))},${cell(longText(n, 100_000))},${(n * 3) % COUNT}\r\n`
    })
    expect((await exportOf('format=csv&attributes=notes,more,score')) === `notes,more,score\r\n${rows.join('')}`).toBe(
      true,
    )
  })
})

test('entries are sent in parts as well', async () => {
  const { list, attribute, entry } = listClient(service)
  const slug = await list()
  await attribute(slug, 'about', { type: 'text' })
  for (const [n, person] of people.entries())
    await entry(slug, (person as { id: { record_id: string } }).id.record_id, { about: longText(n) })
  const { body } = await service.request('POST', `/v2/lists/${slug}/entries/query`, {})
  const texts = body.data.map(
    (each: { entry_values: { about: [{ value: string }] } }) => each.entry_values.about[0].value,
  )
  expect(areEqual(texts, people.map((_, n) => longText(n)))).toBe(true) // prettier-ignore
})
