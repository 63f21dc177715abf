import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createOpenIdClient } from '#access/providers/openid-client'
import { createApp } from '../../../app'
import { createClient } from '#testing/client'
import { createBrowser, signInWith } from '#testing/browser-sign-in'
import { CLIENT } from '../../../../e2e/support/openid-provider'
import { startFalseProvider, type FalseProvider } from '#testing/false-provider'
import { signedIn, type Person } from '#testing/people'
import { testService, type TestService, type TestWorkspace } from '#testing/service'
import { createTargetPolicy } from '#events/webhooks/send/target'

let service: TestService
let installation: FalseProvider
let own: FalseProvider

beforeAll(async () => {
  installation = await startFalseProvider()
  own = await startFalseProvider()
  const { issuer } = installation
  const provider = { name: 'Everyone', issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret }
  service = await testService({ provider })
})
afterAll(async () => {
  await installation.close()
  await own.close()
  await service.close()
})

/** A new workspace with an admin. */
interface AdminWorkspace extends TestWorkspace {
  readonly admin: Person
  readonly path: string
}
async function newWorkspace(): Promise<AdminWorkspace> {
  const workspace = await service.anotherWorkspace()
  const admin = await signedIn(service, { [workspace.workspaceId]: 'admin' })
  return { ...workspace, admin, path: `/console/api/workspaces/${workspace.workspaceId}/sign-in` }
}

const bodyOf = ({ issuer }: FalseProvider) => ({
  name: 'Acme',
  issuer,
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
})
const use = ({ admin, path }: AdminWorkspace, provider = own) => admin.ask('PUT', `${path}/provider`, bodyOf(provider))
const change = ({ admin, path }: AdminWorkspace, body: object) => admin.ask('PATCH', path, body)
const memberId = ({ admin, workspaceId }: AdminWorkspace) => admin.memberIds[workspaceId] ?? ''

/** Signs the person in at a provider and returns how the workspace is for the session. */
async function openAt(person: Person, { workspaceId }: AdminWorkspace, provider: FalseProvider, id: string) {
  const [login = ''] = person.email_address.split('@')
  const browser = await signInWith({ ...service, workspaceId }, provider, login, id)
  await browser.session()
  return { browser, answer: await browser.send('GET', `/console/api/workspaces/${workspaceId}`) }
}

describe('the settings', () => {
  test('never have the secret, which stays for the same issuer and is required for another one', async () => {
    const workspace = await newWorkspace()
    const { path, admin, workspaceId } = workspace
    const empty = {
      provider: null,
      requires_provider: false,
      break_glass_member_id: null,
      requires_second_factor: false,
    }
    expect((await admin.ask('GET', path)).body.data).toEqual({
      ...empty,
      installation_provider: { name: 'Everyone' },
      redirect_uri: `http://localhost:8080/sign-in/callback/${workspaceId}`,
      sign_out_redirect_uri: 'http://localhost:8080/sign-in',
    })
    const { status, body } = await use(workspace)
    const { client_secret, ...shown } = bodyOf(own)
    expect([status, body.data.provider]).toEqual([200, shown])
    expect(JSON.stringify(body)).not.toContain(client_secret)
    const put = (next: object) => admin.ask('PUT', `${path}/provider`, next)
    expect((await put({ ...shown, name: 'Other' })).status).toBe(200)
    const moved = await put({ ...shown, issuer: installation.issuer })
    expect([moved.status, moved.body.validation_errors[0].path]).toEqual([400, ['client_secret']])
    const log = await service.db.sql`select details from relata.audit_log where workspace_id = ${workspaceId}`
    expect(JSON.stringify(log)).not.toContain(client_secret)
  })

  test('400 for an issuer that does not answer, of other metadata, or in another form', async () => {
    const workspace = await newWorkspace()
    const issuers = [
      'http://127.0.0.1:1',
      `${own.issuer}/other`,
      'ftp://x',
      'https://',
      'x'.repeat(3000),
      'https://[::',
    ]
    for (const issuer of issuers) {
      const { status } = await workspace.admin.ask('PUT', `${workspace.path}/provider`, { ...bodyOf(own), issuer })
      expect([issuer, status]).toEqual([issuer, 400])
    }
    const { body } = await workspace.admin.ask('GET', workspace.path)
    expect(body.data.provider).toBeNull()
  })

  test('400 for a provider at a private address, without the development switch', async () => {
    const workspace = await newWorkspace()
    const providers = createOpenIdClient(createTargetPolicy({ allowPrivate: false }))
    const request = createClient(createApp({ ...service.appContext, providers }), '')
    for (const issuer of [own.issuer, 'https://127.0.0.1:8443', 'https://[::1]', 'https://localhost']) {
      const options = { key: null, headers: workspace.admin.headers }
      const { status, body } = await request('PUT', `${workspace.path}/provider`, { ...bodyOf(own), issuer }, options)
      expect([issuer, status, body.validation_errors[0].path]).toEqual([issuer, 400, ['issuer']])
    }
  })

  test('a new client ends the sessions and the links of the old one; the removal does too', async () => {
    const workspace = await newWorkspace()
    const person = await signedIn(service, { [workspace.workspaceId]: 'member' })
    await use(workspace)
    const { browser, answer } = await openAt(person, workspace, own, workspace.workspaceId)
    expect(answer.status).toBe(200)
    await workspace.admin.ask('PUT', `${workspace.path}/provider`, { ...bodyOf(own), name: 'Renamed' })
    expect((await browser.session()).account).not.toBeNull()
    await use(workspace, installation)
    expect((await browser.session()).account).toBeNull()
    expect((await workspace.admin.ask('DELETE', `${workspace.path}/provider`)).body.data.provider).toBeNull()
    expect((await workspace.admin.ask('DELETE', `${workspace.path}/provider`)).status).toBe(404)
  })

  test('GET /console/api/sign-in/providers names the provider of a workspace and of the installation', async () => {
    const workspace = await newWorkspace()
    await use(workspace)
    const [{ slug } = { slug: '' }] = await service.db.sql<{ slug: string }[]>`
      select slug from relata.workspaces where id = ${workspace.workspaceId}`
    const everyone = { id: 'installation', name: 'Everyone' }
    const offered = async (query: string) =>
      (await createBrowser(service).send('GET', `/console/api/sign-in/providers${query}`)).body.data
    expect(await offered(`?workspace=${slug}`)).toEqual([{ id: workspace.workspaceId, name: 'Acme' }, everyone])
    expect(await offered('?workspace=unknown')).toEqual([everyone])
    expect(await offered('')).toEqual([everyone])
  })
})

describe('a workspace that requires its provider', () => {
  test('needs a provider and an admin who keeps the password', async () => {
    const workspace = await newWorkspace()
    const member = await signedIn(service, { [workspace.workspaceId]: 'member' })
    const refused = [
      [{}, 400],
      [{ requires_provider: 'yes' }, 400],
      [{ requires_provider: true }, 400],
      [{ break_glass_member_id: member.memberIds[workspace.workspaceId] }, 400],
      [{ break_glass_member_id: crypto.randomUUID() }, 404],
      [{ break_glass_member_id: 'x' }, 404],
    ] as const
    for (const [body, status] of refused) expect([body, (await change(workspace, body)).status]).toEqual([body, status])
    expect((await change(workspace, { break_glass_member_id: memberId(workspace) })).status).toBe(200)
    expect((await change(workspace, { requires_provider: true })).body.data.requires_provider).toBe(true)
  })

  test('ignores members of the body that are no rules', async () => {
    const [workspace, other] = [await newWorkspace(), await newWorkspace()]
    const body = { requires_second_factor: false, workspace_id: other.workspaceId, '': 1, constructor: {} }
    expect((await change(workspace, body)).status).toBe(200)
  })

  test('is closed at once to sessions by password, except to that admin', async () => {
    const workspace = await newWorkspace()
    const { workspaceId, admin } = workspace
    const member = await signedIn(service, { [workspaceId]: 'member' })
    await use(workspace)
    const read = (person: Person) => person.ask('GET', '/console/v2/objects')
    expect((await read(member)).status).toBe(200)
    await change(workspace, { requires_provider: true, break_glass_member_id: memberId(workspace) })
    const { status, body } = await read(member)
    expect([status, body.code]).toEqual([403, 'provider_required'])
    expect((await read(admin)).status).toBe(200)
    const { workspaces } = (await member.ask('GET', '/console/api/session')).body.data
    expect(workspaces).toMatchObject([{ id: workspaceId, missing_step: 'provider' }])
    expect((await openAt(member, workspace, own, workspaceId)).answer.status).toBe(200)
    expect((await openAt(member, workspace, installation, 'installation')).answer.body.code).toBe('provider_required')
  })

  test('accepts the provider of the installation when the workspace has none', async () => {
    const workspace = await newWorkspace()
    const member = await signedIn(service, { [workspace.workspaceId]: 'member' })
    await change(workspace, { requires_provider: true, break_glass_member_id: memberId(workspace) })
    const { browser, answer } = await openAt(member, workspace, installation, 'installation')
    expect(answer.status).toBe(200)
    expect((await browser.send('GET', '/console/api/second-factor')).status).toBe(200)
  })

  test('409 for removing the provider, and for demoting or suspending that admin', async () => {
    const workspace = await newWorkspace()
    const second = await signedIn(service, { [workspace.workspaceId]: 'admin' })
    await use(workspace)
    await change(workspace, { requires_provider: true, break_glass_member_id: memberId(workspace) })
    expect((await workspace.admin.ask('DELETE', `${workspace.path}/provider`)).body.code).toBe('provider_in_use')
    const member = `/console/api/workspaces/${workspace.workspaceId}/members/${memberId(workspace)}`
    for (const access_level of ['member', 'suspended'])
      expect((await workspace.admin.ask('PATCH', member, { access_level })).body.code).toBe('break_glass_admin')
    const next = second.memberIds[workspace.workspaceId]
    expect((await change(workspace, { break_glass_member_id: next })).status).toBe(200)
    expect((await second.ask('PATCH', member, { access_level: 'member' })).status).toBe(200)
  })

  test('one of two admins at once wins: never without a provider, never without an admin', async () => {
    for (let round = 0; round < 5; round++) {
      const workspace = await newWorkspace()
      const { provider, ...withoutProvider } = service.appContext.settings
      const app = createApp({ ...service.appContext, settings: withoutProvider })
      const request = createClient(app, '')
      const ask = (method: string, path: string, body?: object) =>
        request(method, path, body, { key: null, headers: workspace.admin.headers })
      await use(workspace)
      await Promise.all([
        ask('PATCH', workspace.path, { requires_provider: true, break_glass_member_id: memberId(workspace) }),
        ask('DELETE', `${workspace.path}/provider`),
      ])
      const { data } = (await workspace.admin.ask('GET', workspace.path)).body
      expect(provider !== undefined && data.requires_provider && data.provider === null).toBe(false)
    }
  })
})

describe('a workspace that requires a second factor', () => {
  test('shows no data before the enrolment of one', async () => {
    const workspace = await newWorkspace()
    const member = await signedIn(service, { [workspace.workspaceId]: 'member' })
    await change(workspace, { requires_second_factor: true })
    for (const path of ['/console/v2/objects', `/console/api/workspaces/${workspace.workspaceId}/members`]) {
      const { status, body } = await member.ask('GET', path)
      expect([status, body.code]).toEqual([403, 'second_factor_required'])
    }
    const { workspaces } = (await member.ask('GET', '/console/api/session')).body.data
    expect(workspaces).toMatchObject([{ missing_step: 'second_factor' }])
    const verified = await signedIn(
      service,
      { [workspace.workspaceId]: 'member' },
      { method: 'password', secondFactor: 'totp', workspaceId: null },
    )
    expect((await verified.ask('GET', '/console/v2/objects')).status).toBe(200)
  })

  test('leaves it to its own provider, and asks for it after the provider of the installation unless that did', async () => {
    const workspace = await newWorkspace()
    const member = await signedIn(service, { [workspace.workspaceId]: 'member' })
    await use(workspace)
    await change(workspace, { requires_second_factor: true })
    expect((await openAt(member, workspace, own, workspace.workspaceId)).answer.status).toBe(200)
    const plain = await openAt(member, workspace, installation, 'installation')
    expect(plain.answer.body.code).toBe('second_factor_required')
    installation.changes = { claims: { amr: ['pwd', 'mfa'] } }
    const verified = await openAt(member, workspace, installation, 'installation')
    installation.changes = {}
    expect(verified.answer.status).toBe(200)
  })
})
