/** See docs/reference/comments.md (Threads). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { commentClient, onEntry, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const NOTHING = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const comments = commentClient(service)
const lists = listClient(service)
let list: string
beforeAll(async () => {
  await service.db.sql`update relata.objects set is_enabled = false where standard_slug = 'users'`
  list = await lists.list()
})

interface Thread {
  readonly id: { readonly thread_id: string }
  readonly created_at: string
  readonly comments: { readonly content_plaintext: string; readonly created_at: string }[]
}

const threadsOf = async (record: string, query = ''): Promise<Thread[]> =>
  (await comments.threads(`object=people&record_id=${record}${query}`)).body.data
const contents = (threads: readonly Thread[]) =>
  threads.map((thread) => thread.comments.map(({ content_plaintext }) => content_plaintext))

describe('GET /v2/threads', () => {
  test('200 with the threads of a record, the oldest first, each with its comments in their order', async () => {
    const record = await lists.record()
    const second = await comments.comment(onRecord(record), { content: '2', created_at: '2024-02-01' })
    const first = await comments.comment(onRecord(record), { content: '1', created_at: '2024-01-01' })
    await comments.comment({ thread_id: second.thread_id }, { content: '2b', created_at: '2024-05-01' })
    await comments.comment({ thread_id: second.thread_id }, { content: '2a', created_at: '2024-04-01' })
    const threads = await threadsOf(record)
    expect(contents(threads)).toEqual([['1'], ['2', '2a', '2b']])
    expect(threads.map(({ id }) => id.thread_id)).toEqual([first.thread_id, second.thread_id])
    expect(threads.map(({ created_at }) => created_at)).toEqual([first.created_at, second.created_at])
    for (const { id } of threads)
      expect({ ...(await comments.thread(id.thread_id)).body.data, has_more_comments: false }).toEqual(
        threads.find((thread) => thread.id.thread_id === id.thread_id),
      )
  })

  test('200 with a reply that is dated before the first comment, which becomes the head', async () => {
    const record = await lists.record()
    const later = await comments.comment(onRecord(record), { content: 'later', created_at: '2024-03-01' })
    await comments.comment(onRecord(record), { content: 'other', created_at: '2024-02-01' })
    const { thread_id } = later
    const head = await comments.comment({ thread_id }, { content: 'earlier', created_at: '2024-01-01' })
    const threads = await threadsOf(record)
    expect(contents(threads)).toEqual([['earlier', 'later'], ['other']])
    expect(threads[0]?.created_at).toBe(head.created_at)
    await comments.remove(head.id.comment_id)
    expect(contents(await threadsOf(record))).toEqual([['other']])
  })

  test('200 in pages', async () => {
    const record = await lists.record()
    for (let index = 0; index < 12; index++) await comments.comment(onRecord(record), { content: `${index}` })
    const all = Array.from({ length: 12 }, (_, index) => [`${index}`])
    expect(contents(await threadsOf(record))).toEqual(all.slice(0, 10))
    expect(contents(await threadsOf(record, '&offset=10'))).toEqual(all.slice(10))
    expect(contents(await threadsOf(record, '&limit=2&offset=5'))).toEqual(all.slice(5, 7))
    expect(await threadsOf(record, '&offset=100')).toEqual([])
  })

  test('400 for a reply to a thread with 1,000 comments', async () => {
    const { id, thread_id } = await comments.comment(onRecord(await lists.record()))
    await service.db.sql`
      insert into relata.comments (workspace_id, id, thread_id, record_id, author_id, content, created_at)
      select workspace_id, gen_random_uuid(), thread_id, record_id, author_id, content, created_at
      from relata.comments, generate_series(1, 998) where id = ${id.comment_id}`
    const last = await comments.create({ thread_id })
    const { status, body } = await comments.create({ thread_id })
    expect([last.status, status, body.code]).toEqual([200, 400, 'validation_type'])
    expect((await comments.thread(thread_id)).body.data.comments.length).toBe(250)
    await comments.remove(last.body.data.id.comment_id)
    expect((await comments.create({ thread_id })).status).toBe(200)
  })

  test('400 for a reply to a thread with 500 kB of content', async () => {
    const content = 'é'.repeat(10_000) // 20,000 bytes
    const { thread_id } = await comments.comment(onRecord(await lists.record()), { content })
    for (let index = 1; index < 24; index++)
      expect((await comments.create({ thread_id }, { content })).status).toBe(200)
    const { status, body } = await comments.create({ thread_id }, { content })
    expect([status, body.code]).toEqual([400, 'validation_type'])
    expect((await comments.create({ thread_id })).status).toBe(200)
  })

  test('200 with the threads of an entry, which its record does not have', async () => {
    const record = await lists.record()
    const entry = await lists.entry(list, record)
    await comments.comment(onEntry(list, entry), { content: 'on the entry' })
    await comments.comment(onRecord(record), { content: 'on the record' })
    const ofEntry = (await comments.threads(`list=${list}&entry_id=${entry}`)).body.data
    expect(contents(ofEntry)).toEqual([['on the entry']])
    expect(contents(await threadsOf(record))).toEqual([['on the record']])
  })

  test('200 without threads for a record or an entry that does not exist', async () => {
    expect(await threadsOf(NOTHING)).toEqual([])
    expect((await comments.threads(`list=${list}&entry_id=${NOTHING}`)).body.data).toEqual([])
  })

  const refused: [query: string, status: number, code: string][] = [
    ['', 400, 'validation_type'],
    [`record_id=${NOTHING}`, 400, 'validation_type'],
    ['object=people', 400, 'validation_type'],
    [`entry_id=${NOTHING}`, 400, 'validation_type'],
    ['list=x', 400, 'validation_type'],
    [`object=people&record_id=${NOTHING}&list=x&entry_id=${NOTHING}`, 400, 'validation_type'],
    [`object=people&record_id=${NOTHING}&list=x`, 400, 'validation_type'],
    [`object=people&entry_id=${NOTHING}`, 400, 'validation_type'],
    ['object=people&record_id=x', 400, 'validation_type'],
    [`object=people&record_id=${NOTHING}&limit=51`, 400, 'validation_type'],
    [`object=people&record_id=${NOTHING}&limit=0`, 400, 'validation_type'],
    [`object=people&record_id=${NOTHING}&offset=-1`, 400, 'validation_type'],
    [`object=nothing&record_id=${NOTHING}`, 404, 'not_found'],
    [`object=users&record_id=${NOTHING}`, 400, 'standard_object_disabled'],
    [`list=nothing&entry_id=${NOTHING}`, 404, 'not_found'],
  ]
  test.each(refused)('refused for ?%s', async (query, status, code) => {
    const { status: answered, body } = await comments.threads(query)
    expect([answered, body.code]).toEqual([status, code])
  })
})

/** A thread with so many comments, one each minute of a day. */
async function threadOf(record: string, count: number): Promise<string> {
  const { id, thread_id } = await comments.comment(onRecord(record), { content: '0', created_at: '2024-01-01' })
  await service.db.sql`
    insert into relata.comments (workspace_id, id, thread_id, record_id, author_id, content, created_at)
    select workspace_id, gen_random_uuid(), thread_id, record_id, author_id, to_json(array[n::text])::jsonb,
      created_at + n * interval '1 minute' from relata.comments, generate_series(1, ${count - 1}::int) n where id = ${id.comment_id}`
  return thread_id
}
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`)

describe('the comments of a thread', () => {
  test('200 with the head and 80 replies in a list, and whether there are more', async () => {
    const record = await lists.record()
    await threadOf(record, 81)
    await threadOf(record, 82)
    const threads = await threadsOf(record)
    expect(contents(threads)).toEqual([numbers(0, 80), numbers(0, 80)])
    expect(threads.map((thread) => Reflect.get(thread, 'has_more_comments')).toSorted()).toEqual([false, true])
  })

  test('200 in pages, also of those after a time', async () => {
    const thread = await threadOf(await lists.record(), 260)
    const pagesOf = async (query: string): Promise<string[][]> => {
      const pages: string[][] = []
      let next: string | null = null
      do {
        const { body } = await comments.thread(`${thread}?${query}${next === null ? '' : `&cursor=${next}`}`)
        pages.push(...contents([body.data]))
        next = body.pagination.next_cursor
      } while (next !== null)
      return pages
    }
    expect(await pagesOf('')).toEqual([numbers(0, 249), numbers(250, 259)])
    expect(await pagesOf('limit=130')).toEqual([numbers(0, 129), numbers(130, 259)])
    expect(await pagesOf('limit=3&created_after=2024-01-01T04:14:00Z')).toEqual([numbers(255, 257), numbers(258, 259)])
    expect(await pagesOf('created_after=2030-01-01')).toEqual([[]])
  })

  test('400 for another limit, cursor or time', async () => {
    const [one, other] = [await threadOf(await lists.record(), 2), await threadOf(await lists.record(), 2)]
    const { next_cursor } = (await comments.thread(`${one}?limit=1`)).body.pagination
    for (const query of ['limit=0', 'limit=251', 'limit=x', 'cursor=x', 'created_after=x', `limit=2&cursor=${next_cursor}`]) {
      const { status, body } = await comments.thread(`${one}?${query}`)
      expect([query, status, body.code]).toEqual([query, 400, 'validation_type'])
    }
    expect((await comments.thread(`${other}?limit=1&cursor=${next_cursor}`)).status).toBe(400)
  }) // prettier-ignore
})

describe('GET /v2/threads/:thread_id', () => {
  test('404 for none, 400 for what is no id', async () => {
    expect((await comments.thread(NOTHING)).status).toBe(404)
    expect((await comments.thread('x')).status).toBe(400)
  })
})

describe('the scopes of the subject', () => {
  const RECORDS = ['object_configuration:read', 'record_permission:read'] as const
  const ENTRIES = ['list_configuration:read', 'list_entry:read'] as const
  const subjects: [name: string, own: typeof RECORDS | typeof ENTRIES, others: typeof RECORDS | typeof ENTRIES][] = [
    ['a record', RECORDS, ENTRIES],
    ['an entry', ENTRIES, RECORDS],
  ]

  test.each(subjects)('403 without those of %s, whatever is asked', async (name, own, others) => {
    const record = await lists.record()
    const entry = await lists.entry(list, record)
    const isEntry = name === 'an entry'
    const of = isEntry ? onEntry(list, entry) : onRecord(record)
    const { id, thread_id } = await comments.comment(of)
    const query = isEntry ? `list=${list}&entry_id=${entry}` : `object=people&record_id=${record}`
    const statuses = async (key: string) => [
      (await comments.get(id.comment_id, { key })).status,
      (await comments.thread(thread_id, { key })).status,
      (await comments.threads(query, { key })).status,
      (await comments.create(of, {}, { key })).status,
      (await comments.create({ thread_id }, {}, { key })).status,
      (await comments.resolve(id.comment_id, true, { key })).status,
    ]
    const [needed = own[0], ...rest] = own
    expect(await statuses(await service.keyWith(['comment:read-write', ...own]))).toEqual(Array(6).fill(200))
    expect(await statuses(await service.keyWith(['comment:read-write', ...others, ...rest]))).toEqual(
      Array(6).fill(403),
    )
    const key = await service.keyWith(['comment:read-write', ...rest])
    expect((await comments.get(id.comment_id, { key })).body.required_scopes).toEqual([needed])
    expect((await comments.remove(id.comment_id, { key })).status).toBe(200)
  })

  test('403 without the scope of comments', async () => {
    const { id } = await comments.comment(onRecord(await lists.record()))
    const reading = await service.keyWith(['comment:read', ...RECORDS])
    expect((await comments.get(id.comment_id, { key: reading })).status).toBe(200)
    expect((await comments.remove(id.comment_id, { key: reading })).status).toBe(403)
    expect((await comments.resolve(id.comment_id, true, { key: reading })).status).toBe(403)
    expect((await comments.get(id.comment_id, { key: await service.keyWith(RECORDS) })).status).toBe(403)
  })
})
