import { beforeAll, describe, expect, test } from 'bun:test'
import { CLIENT } from '../../../e2e/support/openid-provider'
import { createApp } from '../../app'
import { signInWith } from '#testing/browser-sign-in'
import { createClient, type Answer } from '#testing/client'
import { startFalseProvider } from '#testing/false-provider'
import { signedIn } from '#testing/people'
import { scimClient } from '#testing/scim'
import type { TestService } from '#testing/service'
import { usePerson, useTestService } from '#testing/use-service'
import { createMember } from './members'

const FULL = [403, 'quota_exceeded']
const names = { first_name: 'Grace', last_name: '', password: 'correct horse battery' }

const service = useTestService()
const admin = usePerson(service)
let path: string
let made = 0
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}`
})

const address = (domain = 'example.com') => `seat-${++made}@${domain}`
const resultOf = ({ status, body }: Answer) => [status, body.code]

async function countActive(): Promise<number> {
  const [row] = await service.db.sql<{ count: number }[]>`
    select count(*)::int as count from relata.workspace_members
    where workspace_id = ${service.workspaceId} and access_level <> 'suspended'`
  return row?.count ?? 0
}

/** The service with room for `free` more members. */
async function withSeats(free: number) {
  const memberQuota = (await countActive()) + free
  const { appContext } = service
  const app = createApp({ ...appContext, settings: { ...appContext.settings, memberQuota } })
  const seated: TestService = { ...service, app, request: createClient(app, service.key) }
  const ask = (method: string, below: string, body?: unknown) =>
    seated.request(method, `${path}${below}`, body, { key: null, headers: admin.headers })
  const invite = (email_address: string) => ask('POST', '/invitations', { email_address, access_level: 'member' })
  const accept = async (invitation: Answer) => {
    const token = String(invitation.body.data.invite_url).split('/').at(-1)
    const headers = { 'Sec-Fetch-Site': 'same-origin' }
    return seated.request('POST', `/console/api/invitations/${token}/accept`, names, { key: null, headers })
  }
  return { seated, ask, invite, accept, scim: scimClient(seated) }
}

const suspend = (id: string) =>
  service.db.sql`update relata.workspace_members set access_level = 'suspended' where id = ${id}`

describe('a workspace with RELATA_MEMBER_QUOTA', () => {
  test('403 for an invitation without a free seat; a suspended member has none', async () => {
    const { invite, ask } = await withSeats(0)
    const refused = await invite(address())
    expect(resultOf(refused)).toEqual(FULL)
    expect(refused.body.message).toContain(`at most ${await countActive()} active members`)
    const other = await signedIn(service, { [service.workspaceId]: 'member' })
    const id = other.memberIds[service.workspaceId] ?? ''
    await suspend(id)
    expect(resultOf(await ask('PATCH', `/members/${id}`, { access_level: 'member' }))).toEqual(FULL)
    expect((await ask('PATCH', `/members/${id}`, { first_name: 'Grace' })).status).toBe(200)
  })

  test('200 for exactly one of ten who accept invitations at once for the last seat', async () => {
    const { invite, accept } = await withSeats(1)
    const invitations = await Promise.all(Array.from({ length: 10 }, () => invite(address())))
    expect(invitations.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const before = await countActive()
    const answers = (await Promise.all(invitations.map(accept))).map(resultOf)
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    expect(answers.filter(([, code]) => code === 'quota_exceeded')).toHaveLength(9)
    expect(await countActive()).toBe(before + 1)
  })

  test('200 for a member without an account who accepts, because this member has a seat', async () => {
    const email_address = address()
    const member = { first_name: 'A', last_name: 'B', email_address, access_level: 'member', account_id: null } as const
    await createMember(service.db, service.workspaceId, member, service.appContext.now())
    const { invite, accept } = await withSeats(0)
    expect((await accept(await invite(email_address))).status).toBe(200)
  })

  test('SCIM: 201 for one of ten users at once; 403 without a scimType for the others, invitations and activations', async () => {
    const { scim } = await withSeats(1)
    await scim.verify('acme.test')
    const answers = await Promise.all(Array.from({ length: 10 }, () => scim.create({ userName: address('acme.test') })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(9).fill(403)])
    const refused = answers.find(({ status }) => status === 403)?.body
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error']
    expect(refused).toEqual<unknown>({ schemas, status: '403', detail: expect.stringContaining('active members') })
    expect((await scim.create({ userName: address('other.test') })).status).toBe(403)
    const suspended = await scim.create({ userName: address('acme.test'), active: false })
    expect(suspended.status).toBe(201)
    const operations = [{ op: 'replace', path: 'active', value: true }]
    const user = `/Users/${suspended.body.id}`
    expect((await scim.patch(user, operations)).status).toBe(403)
    expect((await scim.ask('GET', user)).body.active).toBe(false)
    const another = answers.find(({ status }) => status === 201)?.body.id
    expect((await scim.patch(`/Users/${another}`, [{ op: 'replace', value: { active: false } }])).status).toBe(200)
    expect((await scim.patch(user, operations)).status).toBe(200)
  })

  test('provider: 403 for the first sign-in of a member while more members are active than may be', async () => {
    const provider = await startFalseProvider()
    const body = { name: 'Acme', issuer: provider.issuer, client_id: CLIENT.id, client_secret: CLIENT.secret }
    expect((await admin.ask('PUT', `${path}/sign-in/provider`, body)).status).toBe(200)
    const email_address = address()
    const member = { first_name: 'A', last_name: 'B', email_address, access_level: 'member', account_id: null } as const
    const { id } = await createMember(service.db, service.workspaceId, member, service.appContext.now())
    const signIn = async (free: number) => {
      const [login = ''] = email_address.split('@')
      return resultOf((await signInWith((await withSeats(free)).seated, provider, login)).answer)
    }
    expect(await signIn(-1)).toEqual(FULL)
    await suspend(id)
    expect(await signIn(5)).toEqual([403, 'no_member'])
    await service.db.sql`update relata.workspace_members set access_level = 'member' where id = ${id}`
    expect((await signIn(0))[0]).toBe(200)
    expect((await signIn(-1))[0]).toBe(200)
    provider.close()
  })
})
