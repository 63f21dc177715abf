/** A member marks notifications as read while PostgreSQL ends the statement because of a deadlock. */

import { beforeAll, expect, test } from 'bun:test'
import { commentClient, onRecord } from '#testing/comments'
import { failOnce } from '#testing/fail-once'
import { listClient } from '#testing/lists'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const bob = usePerson(service, 'member')
let inbox: string
beforeAll(async () => {
  await service.appContext.models.reload(service.workspaceId)
  inbox = `/console/api/workspaces/${service.workspaceId}/inbox`
  await commentClient(service).comment(onRecord(await listClient(service).record()), { content: bob.email_address })
})

test('200 for all notifications', async () => {
  await failOnce(service, 'update', 'notifications')
  const { status, body } = await bob.ask('POST', `${inbox}/read`, {})
  expect([status, body.data.unread_count]).toEqual([200, 0])
})

test('200 for the setting of digests', async () => {
  await failOnce(service, 'update', 'inboxes')
  const { status, body } = await bob.ask('PATCH', `${inbox}/settings`, { email_digest: false })
  expect([status, body.data.email_digest]).toEqual([200, false])
})
