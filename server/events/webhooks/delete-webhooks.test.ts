/** Webhooks are deleted with the API key or app that they belong to. See docs/reference/access-and-oauth.md (Tokens). */

import { describe, expect, test } from 'bun:test'
import { deleteApp } from '#access/oauth/apps/register-app'
import { connect, makeApp, post } from '#testing/oauth'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { publishBatch } from '#events/feed/publish'
import { matchEvents } from './match/match-events'

const service = useTestService()
const person = usePerson(service)

const scopes = ['record_permission:read-write', 'object_configuration:read', 'webhook:read-write'] as const
const newApp = () => makeApp(service, { scopes: [...scopes] })

/** A webhook with a pending delivery. */
async function webhookOf(key: string): Promise<string> {
  const target_url = `https://example.com/${crypto.randomUUID()}`
  const data = { target_url, subscriptions: [{ event_type: 'record.created', filter: null }] }
  const { status, body } = await service.request('POST', '/v2/webhooks', { data }, { key })
  expect([status, body.message]).toEqual([200, undefined])
  await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
  while ((await publishBatch(service.db, service.appContext.now, matchEvents)) > 0);
  return body.data.id.webhook_id
}

/** Whether the webhook exists, and the statuses of its deliveries. */
async function stateOf(id: string): Promise<[exists: boolean, statuses: string[]]> {
  const found = await service.db.sql`select 1 from relata.webhooks where id = ${id}`
  const deliveries = await service.db.sql<{ status: string }[]>`
    select distinct status from relata.deliveries where webhook_id = ${id}`
  return [found.length > 0, deliveries.map(({ status }) => status)]
}

const DELETED: Awaited<ReturnType<typeof stateOf>> = [false, ['dropped']]
const PENDING: Awaited<ReturnType<typeof stateOf>> = [true, ['waiting']]

describe('webhooks', () => {
  test('of an API key are deleted when the key is revoked, and those of other keys are not', async () => {
    const path = `/console/api/workspaces/${service.workspaceId}/keys`
    const { body } = await person.ask('POST', path, { name: 'Key', scopes: [...scopes] })
    const [own, other] = [await webhookOf(body.data.token), await webhookOf(service.key)]
    expect(await stateOf(own)).toEqual(PENDING)
    expect((await person.ask('DELETE', `${path}/${body.data.id}`)).status).toBe(200)
    expect(await stateOf(own)).toEqual(DELETED)
    expect(await stateOf(other)).toEqual(PENDING)
  })

  test('of an app are deleted with its last grant in the workspace', async () => {
    const app = await newApp()
    const colleague = await signedIn(service)
    const first = await connect(service, person, app)
    const second = await connect(service, colleague, app)
    const webhook = await webhookOf(first.accessToken)
    const revoke = (token: string) =>
      post(service, '/oauth/revoke', { client_id: app.app.id, client_secret: app.secret, token })
    expect((await revoke(first.accessToken)).status).toBe(200)
    expect(await stateOf(webhook)).toEqual(PENDING)
    expect((await revoke(second.accessToken)).status).toBe(200)
    expect(await stateOf(webhook)).toEqual(DELETED)
  })

  test('of an app are deleted when several grants end concurrently, and when the app is deleted', async () => {
    const [app, deleted] = [await newApp(), await newApp()]
    const connected = await Promise.all([1, 2, 3].map(async () => connect(service, await signedIn(service), app)))
    const webhook = await webhookOf(connected[0]?.accessToken ?? '')
    await Promise.all(
      connected.map(({ accessToken: token }) =>
        post(service, '/oauth/revoke', { client_id: app.app.id, client_secret: app.secret, token }),
      ),
    )
    expect(await stateOf(webhook)).toEqual(DELETED)

    const other = await webhookOf((await connect(service, person, deleted)).accessToken)
    await deleteApp(service.db, service.workspaceId, deleted.app.id, { actor: null, now: service.appContext.now() })
    expect(await stateOf(other)).toEqual(DELETED)
  })
})
