import { describe, expect, test } from 'bun:test'
import { loadDataModel } from '#engine/data-model/load'
import type { Answer } from '#testing/client'
import { testService } from '#testing/service'
import { useTestService } from '#testing/use-service'
import { deleteExpiredResponses } from './idempotent-request'

const service = useTestService()
let keys = 0

const PEOPLE = '/v2/objects/people/records'
const newKey = () => `key-${++keys}`
const email = (key: string) => ({ data: { values: { email_addresses: [`${key}@relata.dev`] } } })

const send = (key: string, method: string, path: string, body?: unknown, more: Record<string, string> = {}) =>
  service.request(method, path, body, { headers: { 'Idempotency-Key': key, ...more } })
const create = (key: string, body: unknown = email(key)) => send(key, 'POST', PEOPLE, body)

const isReplay = ({ headers }: Answer) => headers.get('Idempotent-Replayed') === 'true'
const idOf = ({ body }: Answer): string => body.data.id.record_id

async function countOf(address: string): Promise<number> {
  const filter = { email_addresses: { email_address: { $eq: address } } }
  const { body } = await service.request('POST', `${PEOPLE}/query`, { filter })
  return body.data.length
}

async function keptAnswers(): Promise<number> {
  const [row] = await service.db.sql<{ count: number }[]>`select count(*)::int as count from relata.idempotent_answers`
  return row?.count ?? 0
}

describe('a retry with the same key', () => {
  test('200 with the first answer, and no second effect', async () => {
    const key = newKey()
    const first = await create(key)
    const again = await create(key)
    expect([first.status, isReplay(first), again.status, isReplay(again)]).toEqual([200, false, 200, true])
    expect([again.body, again.headers.get('ETag')]).toEqual([first.body, first.headers.get('ETag')])
    expect(await countOf(`${key}@relata.dev`)).toBe(1)
  })

  test('200 with the first answer after the record was changed or deleted', async () => {
    const key = newKey()
    const first = await create(key)
    await service.request('DELETE', `${PEOPLE}/${idOf(first)}`)
    expect((await create(key)).body).toEqual(first.body)
  })

  test('200 for the key in its alternative header', async () => {
    const key = newKey()
    const first = await create(key)
    const again = await service.request('POST', PEOPLE, email(key), { headers: { 'X-Idempotency-Key': key } })
    expect([isReplay(again), again.body]).toEqual([true, first.body])
  })

  test('400, 404 and 409 with the first answer, and their effects are rolled back', async () => {
    for (const [method, path, body, status] of [
      ['POST', PEOPLE, { data: { values: { no_such: 1 } } }, 400],
      ['POST', PEOPLE, 'not json', 400],
      ['DELETE', `${PEOPLE}/11111111-1111-4111-8111-111111111111`, undefined, 404],
      ['POST', '/v2/objects', { data: { api_slug: 'folk', singular_noun: 'Person', plural_noun: 'People' } }, 409],
    ] as const) {
      const key = newKey()
      const first = await send(key, method, path, body)
      const again = await send(key, method, path, body)
      expect([first.status, isReplay(first), again.status, isReplay(again)]).toEqual([status, false, status, true])
      expect(again.body).toEqual(first.body)
    }
  })

  test('401 and 403 are not stored, because the token may change', async () => {
    const before = await keptAnswers()
    const weak = await service.keyWith(['record_permission:read'])
    for (const [token, status] of [
      [weak, 403],
      ['f'.repeat(64), 401],
    ] as const) {
      const headers = { 'Idempotency-Key': newKey() }
      expect((await service.request('POST', PEOPLE, email('x'), { key: token, headers })).status).toBe(status)
    }
    expect(await keptAnswers()).toBe(before)
  })

  test('runs again after a day', async () => {
    const key = newKey()
    const path = `${PEOPLE}/${idOf(await create(newKey()))}`
    const patch = () => send(key, 'PATCH', path, { data: { values: { description: 'again' } } })
    await patch()
    expect(isReplay(await patch())).toBe(true)
    service.setNow(service.appContext.now() + 24 * 3_600_000_000)
    expect(isReplay(await patch())).toBe(false)
    expect(isReplay(await patch())).toBe(true)
    service.setNow()
  })
})

describe('answers older than a day', () => {
  test('are deleted in batches; newer ones stay', async () => {
    const HOUR = 3_600_000_000
    const start = service.appContext.now()
    await create(newKey())
    const old = await keptAnswers()
    service.setNow(start + 72 * HOUR)
    await create(newKey())
    service.setNow()
    const later = start + 95 * HOUR
    expect(await deleteExpiredResponses(service.db, later, 1)).toBe(1)
    expect(await deleteExpiredResponses(service.db, later, 1000)).toBe(old - 1)
    expect(await keptAnswers()).toBe(1)
  })
})

describe('a key', () => {
  test('409 with another body', async () => {
    const key = newKey()
    await create(key)
    const { status, body, headers } = await create(key, email('other'))
    expect([status, body.type, body.code]).toEqual([409, 'invalid_request_error', 'idempotency_conflict'])
    expect(headers.get('Retry-After')).toBeNull()
    expect(await countOf('other@relata.dev')).toBe(0)
  })

  test('does not match for another token, method or URL', async () => {
    const key = newKey()
    const record = `${PEOPLE}/${idOf(await create(newKey()))}`
    const patch = { data: { values: { description: 'x' } } }
    const other = await service.anotherWorkspace()
    expect(isReplay(await create(key))).toBe(false)
    expect(isReplay(await send(key, 'PUT', `${PEOPLE}?matching_attribute=email_addresses`, email(key)))).toBe(false)
    expect(isReplay(await send(key, 'PATCH', record, patch))).toBe(false)
    expect(isReplay(await send(key, 'PUT', record, patch))).toBe(false)
    const headers = { 'Idempotency-Key': key }
    const elsewhere = await service.request('POST', PEOPLE, email(key), { key: other.key, headers })
    expect([elsewhere.status, isReplay(elsewhere)]).toEqual([200, false])
  })

  test.each(['', 'two words', 'é', 'x'.repeat(256)])('400 for "%s"', async (key) => {
    const { status, body } = await create(key, email('bad'))
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect(await countOf('bad@relata.dev')).toBe(0)
  })

  test('has up to 255 visible characters', async () => {
    const key = '!~"#,;{}'.padEnd(255, 'x')
    expect((await create(key, email('long'))).status).toBe(200)
    expect(isReplay(await create(key, email('long')))).toBe(true)
  })

  test('is ignored by a read', async () => {
    const before = await keptAnswers()
    const key = newKey()
    for (let n = 0; n < 2; n++) {
      expect(isReplay(await send(key, 'GET', '/v2/objects'))).toBe(false)
      expect(isReplay(await send(key, 'POST', `${PEOPLE}/query`, {}))).toBe(false)
    }
    expect(await keptAnswers()).toBe(before)
  })
})

describe('concurrent requests', () => {
  test('eight with the same key create one record; the others get its answer, or 409 while it runs', async () => {
    for (let round = 0; round < 5; round++) {
      const key = newKey()
      const answers = await Promise.all(Array.from({ length: 8 }, () => create(key)))
      const done = answers.filter(({ status }) => status === 200)
      expect(new Set(done.map(idOf)).size).toBe(1)
      for (const { body, headers } of answers.filter(({ status }) => status !== 200)) {
        expect([body.status_code, body.code]).toEqual([409, 'idempotency_conflict'])
        expect(headers.get('Retry-After')).toMatch(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/)
      }
      expect(idOf(await create(key))).toBe(idOf(done[0] as Answer)) // at least one was the first
      expect(await countOf(`${key}@relata.dev`)).toBe(1)
    }
  })

  test('more than the pool has connections, with and without keys, are all answered', async () => {
    const company = { data: { values: { name: 'Acme' } } }
    const target = idOf(await service.request('POST', '/v2/objects/companies/records', company))
    const related = (name: string) => ({ data: { values: { name, company: [target] } } })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 === 0 ? create(newKey(), related(`with ${n}`)) : service.request('POST', PEOPLE, related(`without ${n}`)),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('more than the pool has connections are all answered when the data model is not cached', async () => {
    const other = await testService({}, (db) => {
      const load = (workspaceId: string) => loadDataModel(db, workspaceId)
      return { models: { ...service.appContext.models, get: load, reload: load, close: async () => {} } }
    })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        other.request('POST', PEOPLE, email(`unknown-${n}`), { headers: { 'Idempotency-Key': `unknown-${n}` } }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await other.close()
  })
})

describe('changes of the data model', () => {
  const attribute = (slug: string) => ({
    data: {
      title: slug,
      description: null,
      api_slug: slug,
      type: 'text',
      is_required: false,
      is_unique: false,
      is_multiselect: false,
      config: {},
    },
  })
  const ATTRIBUTES = '/v2/objects/companies/attributes'

  test('200 once, and the next request uses the new data model', async () => {
    const key = newKey()
    const first = await send(key, 'POST', ATTRIBUTES, attribute('motto'))
    expect(first.status).toBe(200)
    const written = await service.request('POST', '/v2/objects/companies/records', {
      data: { values: { name: 'A', motto: 'Onwards' } },
    })
    expect(written.status).toBe(200)
    const again = await send(key, 'POST', ATTRIBUTES, attribute('motto'))
    expect([again.status, isReplay(again), again.body]).toEqual([200, true, first.body])
  })

  test('a refused change leaves nothing in the database or in memory', async () => {
    const before = await service.appContext.models.get(service.workspaceId)
    const refused = await send(newKey(), 'POST', ATTRIBUTES, attribute('motto'))
    expect([refused.status, refused.body.code]).toEqual([409, 'slug_conflict'])
    expect((await service.appContext.models.reload(service.workspaceId)).version).toBe(before.version)
  })
})
