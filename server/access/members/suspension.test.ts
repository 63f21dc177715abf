/** What ends when a member is suspended, whichever way. See docs/reference/access-and-oauth.md (Workspace members). */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Database } from '#db/connect'
import { createApp } from '../../app'
import { createModelCache, type ModelCache } from '#engine/data-model/cache'
import { startEventPipeline } from '#testing/events'
import { type Messages, messagesOf } from '#testing/messages'
import { type Person, signedIn } from '#testing/people'
import { scimClient } from '#testing/scim'
import { BY_PASSWORD } from '#access/sessions/sessions'
import { createInvitation, findInvitation } from './invitations'
import { testService, type TestService } from '#testing/service'

let service: TestService
/** What belongs to the second process. */
let otherDb: Database
let models: ModelCache
beforeAll(async () => {
  service = await testService()
  await startEventPipeline(service)
  otherDb = connect(service.url, { max: 2 })
  models = await createModelCache(otherDb)
})
afterAll(async () => {
  await models.close()
  await otherDb.close()
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

const idOf = ({ memberIds }: Person): string => memberIds[service.workspaceId] ?? ''
const deactivate = { op: 'replace', value: { active: false } }

/** All ways to suspend a member. */
const WAYS: Readonly<Record<string, (person: Person, admin: Person) => Promise<{ status: number }>>> = {
  'PATCH at the console': (person, admin) =>
    admin.ask('PATCH', `/console/api/workspaces/${service.workspaceId}/members/${idOf(person)}`, {
      access_level: 'suspended',
    }),
  'PATCH of SCIM': (person) => scimClient(service).patch(`/Users/${idOf(person)}`, [deactivate]),
  'PUT of SCIM': (person) =>
    scimClient(service).ask('PUT', `/Users/${idOf(person)}`, { userName: person.email_address, active: false }),
  'DELETE of SCIM': (person) => scimClient(service).ask('DELETE', `/Users/${idOf(person)}`),
}

describe.each(Object.entries(WAYS))('a member suspended by %s', (_, suspend) => {
  test('has no session, no open stream and no invitation, also at another process', async () => {
    const { workspaceId, db, appContext, app } = service
    const [admin, person] = [await signedIn(service), await signedIn(service, { [workspaceId]: 'member' })]
    const other = createApp({ ...appContext, db: otherDb, models })
    const request = (path: string) =>
      new Request(`http://localhost/console/v2${path}`, { headers: { ...person.headers, 'X-Workspace': workspaceId } })
    const { token } = await db.sql.begin((tx) =>
      createInvitation(
        tx,
        { workspaceId, email_address: person.email_address, access_level: 'admin', invitedBy: idOf(admin) },
        appContext.now(),
      ),
    )
    const streams = [
      messagesOf(await app.handle(request('/events/stream'))),
      messagesOf(await other.handle(request('/events/stream'))),
    ]
    const ends = streams.map(readToEnd)
    expect((await other.handle(request('/objects'))).status).toBe(200)
    expect((await suspend(person, admin)).status).toBeLessThan(300)
    expect((await other.handle(request('/objects'))).status).toBe(401)
    expect((await app.handle(request('/objects'))).status).toBe(401)
    expect(await Promise.all(ends)).toEqual(['The stream ended.', 'The stream ended.'])
    expect(await findInvitation(db.sql, token, appContext.now())).toBeUndefined()
  })

  test('keeps a session for another workspace, but none that opens only this one', async () => {
    const { workspaceId } = service
    const { workspaceId: elsewhere } = await service.anotherWorkspace()
    const places = { [workspaceId]: 'member', [elsewhere]: 'member' } as const
    const [admin, person] = [await signedIn(service), await signedIn(service, places)]
    const bound = await person.signInAgain({ ...BY_PASSWORD, method: 'provider', workspaceId })
    expect((await bound.ask('GET', '/console/v2/objects')).status).toBe(200)
    expect((await suspend(person, admin)).status).toBeLessThan(300)
    expect((await bound.ask('GET', '/console/v2/objects')).status).toBe(401)
    expect((await person.ask('GET', '/console/v2/objects')).status).toBe(403)
    expect((await person.ask('GET', '/console/v2/objects', undefined, elsewhere)).status).toBe(200)
  })

  test('leaves the API keys that the member created to the workspace', async () => {
    const { workspaceId } = service
    const [admin, person] = [await signedIn(service), await signedIn(service, { [workspaceId]: 'admin' })]
    const key = await service.keyWith(['object_configuration:read'], idOf(person))
    expect((await suspend(person, admin)).status).toBeLessThan(300)
    expect((await service.request('GET', '/v2/objects', undefined, { key })).status).toBe(200)
  })
})
