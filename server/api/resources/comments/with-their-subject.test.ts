/** What happens to threads when their record, entry, list or object is deleted or merged. See docs/reference/comments.md (Threads). */

import { describe, expect, test } from 'bun:test'
import { commentClient, type CommentClient, onEntry, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const comments = commentClient(service)
const lists = listClient(service)

/** Two records with an entry each, and a thread on each of the four. `statuses` reads their heads in this order. */
async function twoRecords() {
  const list = await lists.list()
  const [record, other] = [await lists.record(), await lists.record()]
  const [entry, otherEntry] = [await lists.entry(list, record), await lists.entry(list, other)]
  const made: Awaited<ReturnType<CommentClient['comment']>>[] = []
  for (const of of [onRecord(record), onEntry(list, entry), onRecord(other), onEntry(list, otherEntry)]) {
    const head = await comments.comment(of)
    await comments.comment({ thread_id: head.thread_id })
    made.push(head)
  }
  const statuses = async () => {
    const found: number[] = []
    for (const { id, thread_id } of made) {
      const { status } = await comments.get(id.comment_id)
      expect((await comments.thread(thread_id)).status).toBe(status)
      found.push(status)
    }
    return found
  }
  return { list, record, other, entry, otherEntry, made, statuses }
}

const remove = async (path: string) => expect((await service.request('DELETE', path)).status).toBe(200)

describe('deleting', () => {
  test('a record deletes its threads and those of its entries, without events for them', async () => {
    const { record, entry, statuses } = await twoRecords()
    await service.events()
    await remove(`/v2/objects/people/records/${record}`)
    expect(await statuses()).toEqual([404, 404, 200, 200])
    const events = await service.events()
    expect(events.map(({ event_type }) => event_type)).toEqual(['record.deleted', 'list-entry.deleted'])
    expect((await comments.threads(`object=people&record_id=${record}`)).body.data).toEqual([])
    expect(events[1]?.id.entry_id).toBe(entry)
  })

  test('an entry deletes its threads, and not those of the record', async () => {
    const { list, entry, statuses } = await twoRecords()
    await remove(`/v2/lists/${list}/entries/${entry}`)
    expect(await statuses()).toEqual([200, 404, 200, 200])
  })

  test('a list deletes the threads of its entries', async () => {
    const { list, statuses } = await twoRecords()
    await remove(`/v2/lists/${list}`)
    expect(await statuses()).toEqual([200, 404, 200, 404])
  })

  test('an object deletes the threads of its records', async () => {
    const nouns = { singular_noun: 'Project', plural_noun: 'Projects' }
    await service.request('POST', '/v2/objects', { data: { api_slug: 'projects', ...nouns } })
    const project = await lists.record('projects')
    const { id } = await comments.comment(onRecord(project, 'projects'))
    await remove('/v2/objects/projects')
    expect((await comments.get(id.comment_id)).status).toBe(404)
  })
})

describe('merging two records', () => {
  test('moves the threads of both and of their entries to the new record', async () => {
    const { list, record, other, entry, otherEntry, made, statuses } = await twoRecords()
    await service.events()
    const ids = { primary_record_id: record, secondary_record_id: other }
    const { body } = await service.request('POST', '/v2/objects/people/records/merge', { data: ids })
    const { new_record_id } = body.data
    const types = (await service.events()).map(({ event_type }) => event_type)
    expect(types.filter((type) => type.startsWith('comment.'))).toEqual([])
    expect(await statuses()).toEqual([200, 200, 200, 200])
    const threads = (await comments.threads(`object=people&record_id=${new_record_id}`)).body.data
    expect(threads.map(({ id }: { id: { thread_id: string } }) => id.thread_id)).toEqual([
      made[0].thread_id,
      made[2].thread_id,
    ])
    for (const { id } of made)
      expect((await comments.get(id.comment_id)).body.data.record.record_id).toBe(new_record_id)
    for (const each of [entry, otherEntry]) {
      const [thread] = (await comments.threads(`list=${list}&entry_id=${each}`)).body.data
      expect(thread.comments[0]).toMatchObject({ entry: { entry_id: each }, record: { record_id: new_record_id } })
    }
  })
})

describe('concurrent writes of a thread and its subject', () => {
  const CODES = [200, 400, 404]

  test('commenting and deleting leave no thread without its record or entry', async () => {
    const list = await lists.list()
    for (let round = 0; round < 5; round++) {
      const record = await lists.record()
      const entry = await lists.entry(list, record)
      const subjects = [onRecord(record), onEntry(list, entry), onRecord(record), onEntry(list, entry)]
      const [deleted, ...answers] = await Promise.all([
        service.request('DELETE', `/v2/objects/people/records/${record}`),
        ...subjects.map((of) => comments.create(of)),
      ])
      expect(deleted.status).toBe(200)
      for (const { status } of answers) expect(CODES).toContain(status)
      const left = await service.db.sql`select 1 from relata.threads where record_id = ${record}`
      expect(left).toHaveLength(0)
    }
  })

  test('commenting and merging leave all threads with the new record', async () => {
    const list = await lists.list()
    for (let round = 0; round < 5; round++) {
      const [record, other] = [await lists.record(), await lists.record()]
      const entry = await lists.entry(list, record)
      const ids = { primary_record_id: record, secondary_record_id: other }
      const [merged, ...answers] = await Promise.all([
        service.request('POST', '/v2/objects/people/records/merge', { data: ids }),
        ...[onEntry(list, entry), onRecord(record), onRecord(other)].map((of) => comments.create(of)),
      ])
      expect(merged.status).toBe(200)
      const { new_record_id } = merged.body.data
      for (const { status, body } of answers.filter(({ status }) => status === 200)) {
        expect(status).toBe(200)
        const { data } = (await comments.get(body.data.id.comment_id)).body
        expect(data.record.record_id).toBe(new_record_id)
      }
    }
  })

  test('commenting and deleting the list answer without failures', async () => {
    for (let round = 0; round < 3; round++) {
      const list = await lists.list()
      const entry = await lists.entry(list, await lists.record())
      const [deleted, ...answers] = await Promise.all([
        service.request('DELETE', `/v2/lists/${list}`),
        ...Array.from({ length: 4 }, () => comments.create(onEntry(list, entry))),
      ])
      expect(deleted.status).toBe(200)
      for (const { status } of answers) expect(CODES).toContain(status)
      expect(await service.db.sql`select 1 from relata.threads where entry_id = ${entry}`).toHaveLength(0)
    }
  })
})
