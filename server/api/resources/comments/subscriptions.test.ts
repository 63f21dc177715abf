/** Webhooks that subscribe to events of comments. See docs/reference/webhooks-and-events.md (Subscription filters). */

import { expect, test } from 'bun:test'
import { commentClient, onEntry, onRecord, useCommentSubjects } from '#testing/comments'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'
import { matchEvents } from '#events/webhooks/match/match-events'

const service = useTestService()
const comments = commentClient(service)
const on = useCommentSubjects(service)

const publish = async () => {
  await publishAll(service, matchEvents)
}

let made = 0

/** The types of the events that a webhook with this filter gets of what `work` does. */
async function deliveredOf(filter: object | null, work: () => Promise<unknown>): Promise<string[]> {
  await publish()
  const types = ['comment.created', 'comment.deleted', 'comment.resolved', 'comment.unresolved']
  const subscriptions = types.map((event_type) => ({ event_type, filter }))
  const data = { target_url: `https://example.com/${++made}`, subscriptions }
  const { id } = (await service.request('POST', '/v2/webhooks', { data })).body.data
  await work()
  await publish()
  const rows = await service.db.sql<{ event_type: string }[]>`
    select event_type from relata.deliveries where webhook_id = ${id.webhook_id} order by position`
  return rows.map(({ event_type }) => event_type)
}

const equals = (field: string, value: string) => ({ $and: [{ field, operator: 'equals', value }] })

/** A thread on the record, and one on the entry that is resolved, reopened and deleted. */
async function work(): Promise<void> {
  await comments.comment(onRecord(on.record))
  const { id } = await comments.comment(onEntry(on.list, on.entry))
  await comments.resolve(id.comment_id, true)
  await comments.resolve(id.comment_id, false)
  await comments.remove(id.comment_id)
}

const OF_ENTRY = ['comment.created', 'comment.resolved', 'comment.unresolved', 'comment.deleted']
const filters: [name: string, filter: () => object | null, types: string[]][] = [
  ['no filter', () => null, ['comment.created', ...OF_ENTRY]],
  ['the record', () => equals('record_id', on.record), ['comment.created', ...OF_ENTRY]],
  ['the entry', () => equals('entry_id', on.entry), OF_ENTRY],
  ['another entry', () => equals('entry_id', on.record), []],
  ['the actor', () => equals('actor.type', 'workspace-member'), []],
]

test.each(filters)('with %s', async (_, filter, types) => {
  expect(await deliveredOf(filter(), work)).toEqual(types)
})

test('with the thread', async () => {
  const { thread_id } = await comments.comment(onRecord(on.record))
  const types = await deliveredOf(equals('thread_id', thread_id), async () => {
    await comments.comment({ thread_id })
    await comments.comment(onRecord(on.record))
  })
  expect(types).toEqual(['comment.created'])
})
