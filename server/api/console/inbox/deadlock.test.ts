/** A member marks notifications as read while PostgreSQL ends the statement because of a deadlock. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { commentClient, onRecord } from '#testing/comments'
import { failOnce } from '#testing/fail-once'
import { listClient } from '#testing/lists'
import { type Person, signedIn } from '#testing/people'
import { testService, type TestService } from '#testing/service'

let service: TestService
let bob: Person
let inbox: string
beforeAll(async () => {
  service = await testService()
  bob = await signedIn(service, { [service.workspaceId]: 'member' })
  await service.appContext.models.reload(service.workspaceId)
  inbox = `/console/api/workspaces/${service.workspaceId}/inbox`
  await commentClient(service).comment(onRecord(await listClient(service).record()), { content: bob.email_address })
})
afterAll(() => service.close())

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
