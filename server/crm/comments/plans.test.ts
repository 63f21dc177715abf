/** Reads and deletions of threads look into indexes, however many threads there are. */

import { beforeAll, expect, test } from 'bun:test'
import { commentClient, onEntry, onRecord, useCommentSubjects } from '#testing/comments'
import { plansOf } from '#testing/plans'
import { useTestService } from '#testing/use-service'

const THREADS = 5000

const service = useTestService()
const comments = commentClient(service)
const on = useCommentSubjects(service)
let comment: { id: { comment_id: string }; thread_id: string }
beforeAll(async () => {
  comment = await comments.comment(onRecord(on.record))
  await comments.comment(onEntry(on.list, on.entry))
  await fill()
})

async function fill(): Promise<void> {
  const { sql } = service.db
  await sql`
    insert into relata.threads (workspace_id, id, object_id, record_id, list_id, entry_id, created_at)
    select t.workspace_id, gen_random_uuid(), t.object_id, gen_random_uuid(), t.list_id,
      case when t.list_id is not null then gen_random_uuid() end, t.created_at
    from relata.threads t cross join generate_series(1, ${THREADS}::int)`
  await sql`
    insert into relata.comments (workspace_id, id, thread_id, record_id, author_id, content, created_at)
    select workspace_id, gen_random_uuid(), id, record_id, ${service.member.id}, '["x"]', created_at from relata.threads`
  await sql`analyze relata.threads, relata.comments`
}

const reads: [name: string, read: () => Promise<unknown>, indexes: string[]][] = [
  ['the threads of a record', () => comments.threads(`object=people&record_id=${on.record}`), ['threads_of_record']],
  ['the threads of an entry', () => comments.threads(`list=${on.list}&entry_id=${on.entry}`), ['threads_of_entry']],
  ['a thread', () => comments.thread(comment.thread_id), ['threads_pkey', 'comments_of_thread']],
  [
    'the comments of the activity',
    () => service.request('GET', `/v2/objects/people/records/${on.record}/activity?type=comment.created`),
    ['comments_of_record'],
  ],
  ['a comment', () => comments.get(comment.id.comment_id), ['comments_pkey', 'threads_pkey']],
]

test.each(reads)('%s', async (_, read, indexes) => {
  const plans = (await plansOf(service, read)).join('\n')
  for (const index of indexes) expect(plans).toContain(index)
  expect(plans).not.toMatch(/Seq Scan on (threads|comments)/)
})

/** What deletions and merges ask, as `server/engine/attachments/attachments.ts` and foreign keys do. */
const DELETIONS: [condition: string, index: string][] = [
  ['record_id in ($2)', 'threads_of_parent'],
  ['entry_id in ($2)', 'threads_of_entry'],
  ['object_id = $2', 'threads_of_object'],
  ['list_id = $2', 'threads_of_list'],
]

test.each(DELETIONS)('threads where %s', async (condition, index) => {
  const [plan] = await plansOf(service, () =>
    service.db.sql.unsafe(`select id from relata.threads where workspace_id = $1 and ${condition}`, [
      service.workspaceId,
      '11111111-1111-4111-8111-111111111111',
    ]),
  )
  expect(plan).toContain(index)
})
