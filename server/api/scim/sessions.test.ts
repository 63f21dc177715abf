/** What ends when an identity provider suspends a member. See docs/reference/scim.md (Life cycle). */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, type Database } from '#db/connect'
import { createApp } from '../../app'
import { createModelCache, type ModelCache } from '#engine/data-model/cache'
import { type Messages, messagesOf } from '#testing/messages'
import { signedIn } from '#testing/people'
import { scimClient } from '#testing/scim'
import { testService, type TestService } from '#testing/service'
import { runEventPipeline, type EventPipeline } from '#events/webhooks/event-pipeline'

let service: TestService
let events: EventPipeline
/** What belongs to the second process. */
let otherDb: Database
let models: ModelCache
beforeAll(async () => {
  service = await testService()
  const { db, appContext } = service
  const send = () => Promise.reject(new Error('There is no webhook.'))
  events = await runEventPipeline({
    db,
    now: appContext.now,
    sending: { send, brand: 'relata', docsUrl: 'http://localhost', perSecond: 0 },
    days: 30,
  })
  Object.assign(appContext, { events })
  otherDb = connect(service.url, { max: 2 })
  models = await createModelCache(otherDb)
})
afterAll(async () => {
  await models.close()
  await otherDb.close()
  await events.stop()
  await service.close()
})

/** Reads the events that were sent before the end. */
async function readToEnd(stream: Messages): Promise<string> {
  for (;;) {
    const end = await stream.next().then(
      () => undefined,
      (error: Error) => error.message,
    )
    if (end !== undefined) return end
  }
}

test('requests and open streams of the member end at once, also at another process', async () => {
  const person = await signedIn(service, { [service.workspaceId]: 'member' })
  const other = createApp({ ...service.appContext, db: otherDb, models })
  const request = (path: string) =>
    new Request(`http://localhost/console/v2${path}`, {
      headers: { ...person.headers, 'X-Workspace': service.workspaceId },
    })
  const streams = [
    messagesOf(await service.app.handle(request('/events/stream'))),
    messagesOf(await other.handle(request('/events/stream'))),
  ]
  const ends = streams.map(readToEnd)
  expect((await other.handle(request('/objects'))).status).toBe(200)
  const id = person.memberIds[service.workspaceId]
  await scimClient(service).patch(`/Users/${id}`, [{ op: 'replace', value: { active: false } }])
  expect((await other.handle(request('/objects'))).status).toBe(401)
  expect(await Promise.all(ends)).toEqual(['The stream ended.', 'The stream ended.'])
})
