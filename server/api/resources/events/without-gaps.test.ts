/** A reader who pages while many callers write gets every event once, in one order. See docs/decisions/events.md. */

import { describe, expect, test } from 'bun:test'
import { publishBatch } from '#events/feed/publish'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'

const service = useTestService()

const PEOPLE = '/v2/objects/people/records'
const WRITERS = 8
const EACH = 40

interface Fed {
  readonly cursor: string
  readonly event_id: string
  readonly event: { readonly event_type: string; readonly id: { readonly record_id: string; attribute_id?: string } }
}

const post = async (values: object): Promise<string> =>
  (await service.request('POST', PEOPLE, { data: { values } })).body.data.id.record_id

/** Reads until `isOver` and the last page is empty. */
async function readAlong(from: string, isOver: () => boolean): Promise<Fed[]> {
  const seen: Fed[] = []
  for (let cursor = from; ;) {
    const wasOver = isOver()
    const { body } = await service.request('GET', `/v2/events?limit=7&cursor=${cursor}`)
    seen.push(...body.data)
    cursor = body.pagination.next_cursor
    if (wasOver && body.data.length === 0) return seen
  }
}

/** Runs two publishers in turns, as two processes do. */
async function publishAlong(isOver: () => boolean): Promise<void> {
  while (!isOver()) await publishBatch(service.db, service.appContext.now, async () => {})
}

async function whileReading(write: (writer: number) => Promise<void>): Promise<Fed[]> {
  let isWritten = false
  let isPublished = false
  // The cursor is read before the first write.
  const { next_cursor } = (await service.request('GET', '/v2/events?cursor=now')).body.pagination
  const publishing = [1, 2].map(() => publishAlong(() => isWritten))
  const reading = readAlong(next_cursor, () => isPublished)
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  isWritten = true
  await Promise.all(publishing)
  await publishAll(service)
  isPublished = true
  return reading
}

const positions = (fed: readonly Fed[]) => fed.map(({ cursor }) => Number(cursor.split('.')[0]))

describe('many writers and a reader', () => {
  test('the reader gets every event once, in the order of positions', async () => {
    const made: string[] = []
    const fed = await whileReading(async () => {
      for (let count = 0; count < EACH; count++) made.push(await post({}))
    })
    expect(fed.length).toBe(WRITERS * EACH)
    expect(new Set(fed.map(({ event }) => event.id.record_id))).toEqual(new Set(made))
    expect(new Set(fed.map(({ event_id }) => event_id)).size).toBe(fed.length)
    expect(positions(fed)).toEqual(positions(fed).toSorted((a, b) => a - b))
  })

  test('the reader gets the events of one record in the order of its versions', async () => {
    const id = await post({})
    await service.events()
    const values = (writer: number) => (writer % 2 === 0 ? 'job_title' : 'description')
    const fed = await whileReading(async (writer) => {
      for (let count = 0; count < 10; count++) {
        const data = { values: { [values(writer)]: `${writer} ${count}` } }
        await service.request('PATCH', `${PEOPLE}/${id}`, { data })
      }
    })
    expect(fed.length).toBe(WRITERS * 10)
    expect(fed.map(({ event }) => event.id.attribute_id)).toEqual(await writtenAttributes(id))
  })
})

/** Returns the attribute that each version of the record changed, ordered by the time at which its value became active. */
async function writtenAttributes(id: string): Promise<string[]> {
  const versions: { attribute: string; active_from: string }[] = []
  for (const slug of ['job_title', 'description']) {
    const { body } = await service.request('GET', `${PEOPLE}/${id}/attributes/${slug}/values?show_historic=true`)
    const attribute = (await service.request('GET', `/v2/objects/people/attributes/${slug}`)).body.data.id.attribute_id
    for (const { active_from } of body.data) versions.push({ attribute, active_from })
  }
  return versions.toSorted((a, b) => (a.active_from < b.active_from ? -1 : 1)).map(({ attribute }) => attribute)
}
