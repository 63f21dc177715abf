/** Reads of the inbox, and the queue of digests, look into indexes, however many notifications there are. */

import { beforeAll, expect, test } from 'bun:test'
import { digestQueue } from '#crm/email/digests/send-digests'
import { takeDue } from '#engine/queue'
import { commentClient, onRecord } from '#testing/comments'
import { listClient } from '#testing/lists'
import { plansOf } from '#testing/plans'
import { usePerson, useTestService } from '#testing/use-service'
import { countUnread, listNotificationRows, listUndigestedRows } from './store'

const MEMBERS = 2000
const NOTIFICATIONS = 5

const service = useTestService()
const bob = usePerson(service, 'member')
beforeAll(async () => {
  await service.appContext.models.reload(service.workspaceId)
  const record = await listClient(service).record()
  await commentClient(service).comment(onRecord(record), { content: bob.email_address })
  await fill()
})

async function fill(): Promise<void> {
  const { db, workspaceId } = service
  await db.sql`
    insert into relata.workspace_members (workspace_id, id, first_name, last_name, email_address, access_level, created_at)
    select ${workspaceId}, gen_random_uuid(), 'A', 'B', 'member-' || nth || '@example.com', 'member', now()
    from generate_series(1, ${MEMBERS}::int) nth`
  await db.sql`
    insert into relata.notifications (workspace_id, member_id, id, kind, comment_id, actor, created_at, read_at, is_digested)
    select m.workspace_id, m.id, gen_random_uuid(), n.kind, n.comment_id, n.actor, n.created_at, now(), true
    from relata.workspace_members m, relata.notifications n, generate_series(1, ${NOTIFICATIONS}::int)`
  await db.sql`
    insert into relata.inboxes (workspace_id, member_id)
    select workspace_id, id from relata.workspace_members on conflict do nothing`
  await db.sql`analyze relata.notifications, relata.inboxes, relata.comments, relata.threads, relata.tasks`
}

const key = () => ({
  workspaceId: service.workspaceId,
  memberId: bob.memberIds[service.workspaceId] ?? '',
  visibleLists: [],
  hiddenObjects: [],
})
const page = { limit: 31, before: undefined, unreadOnly: false }

const reads: [name: string, read: () => Promise<unknown>, index: string][] = [
  ['a page', () => listNotificationRows(service.db.sql, key(), page), 'notifications_pkey'],
  ['the number of unread ones', () => countUnread(service.db.sql, key()), 'notifications_unread'],
  ['what no digest had', () => listUndigestedRows(service.db.sql, key(), 100), 'notifications_unread'],
]

test.each(reads)('%s', async (_, read, index) => {
  const plans = (await plansOf(service, read)).join('\n')
  expect(plans).toContain(index)
  expect(plans).not.toMatch(/Seq Scan on notifications/)
})

test('the queue of digests takes due rows alone', async () => {
  const { db, appContext } = service
  expect(await takeDue(db, digestQueue, { now: appContext.now(), limit: 10 })).toEqual([])
  const [plan = ''] = await plansOf(service, () =>
    db.sql.unsafe('select 1 from relata.inboxes where due_at <= $1 order by due_at limit 10', ['2020-01-01']),
  )
  expect(plan).toContain('inboxes_due')
})
