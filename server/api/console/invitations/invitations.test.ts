import { beforeAll, describe, expect, test } from 'bun:test'
import { deleteExpiredInvitations } from '#access/members/invitations'
import { createMember } from '#access/members/members'
import { insertPasskey } from '#access/second-factor/passkeys'
import { createApp } from '../../../app'
import type { Email } from '#crm/email/send-email'
import { createClient } from '#testing/client'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
let path: string
let teams: string
let made = 0
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}/invitations`
  teams = `/console/api/workspaces/${service.workspaceId}/teams`
})

const guest = () => `guest-${++made}@example.com`
const inviteMember = (email_address: string, access_level = 'member') =>
  admin.ask('POST', path, { email_address, access_level })
const tokenOf = (url: string) => url.split('/').at(-1) ?? ''
const invited = async (email: string) => tokenOf((await inviteMember(email)).body.data.invite_url)
const names = { first_name: 'Grace', last_name: '' }
const newcomer = { ...names, password: 'correct horse battery' }
const accept = (token: string, body: object, headers = {}) =>
  service.request('POST', `/console/api/invitations/${token}/accept`, body, { key: null, headers })
const show = (token: string) => service.request('GET', `/console/api/invitations/${token}`, undefined, { key: null })

describe('POST …/invitations', () => {
  test('200 with the link without a mail server; a later invitation replaces it', async () => {
    const email = guest()
    const { status, body } = await inviteMember(email, 'admin')
    expect([status, body.data]).toEqual([
      200,
      {
        id: expect.any(String),
        email_address: email,
        access_level: 'admin',
        invited_by_workspace_member_id: admin.memberIds[service.workspaceId],
        created_at: expect.any(String),
        expires_at: expect.any(String),
        invite_url: expect.stringMatching(/^http:\/\/localhost:8080\/invitations\/[\w-]{43}$/),
      },
    ])
    await inviteMember(email.toUpperCase())
    expect((await show(tokenOf(body.data.invite_url))).status).toBe(404)
    const { data } = (await admin.ask('GET', path)).body
    expect(data.filter((one: { email_address: string }) => one.email_address.toLowerCase() === email)).toHaveLength(1)
    expect(JSON.stringify(data)).not.toContain('invite_url')
  })

  test('200 without the link when it is mailed, with the link when the mail server fails', async () => {
    const sentEmails: Email[] = []
    let isBroken = false
    const send = async (sentEmail: Email) => {
      if (isBroken) throw new Error('550 no')
      sentEmails.push(sentEmail)
    }
    const mail = { isDelivered: true, send, close() {} }
    const request = createClient(createApp({ ...service.appContext, mail }), '')
    const ask = () =>
      request('POST', path, { email_address: guest(), access_level: 'member' }, { key: null, headers: admin.headers })
    expect((await ask()).body.data.invite_url).toBeNull()
    expect(sentEmails[0]).toMatchObject({
      to: `guest-${made}@example.com`,
      subject: expect.stringContaining('Workspace 1'),
    })
    // A person without an account is invited in the language of the inviter.
    await admin.ask('PATCH', '/console/api/account', { language: 'de' })
    await ask()
    expect(sentEmails[1]?.subject).toEndWith('lädt Sie zu Workspace 1 ein')
    const log = console.error
    console.error = () => {}
    isBroken = true
    expect((await ask()).body.data.invite_url).toContain('/invitations/')
    console.error = log
  })

  test('409 for a member, 400 for an invalid address or role', async () => {
    expect((await inviteMember(admin.email_address.toUpperCase())).body.code).toBe('already_member')
    expect((await inviteMember('nobody')).status).toBe(400)
    expect((await inviteMember('a@b\r\nBcc: c@d')).status).toBe(400)
    expect((await inviteMember(guest(), 'suspended')).status).toBe(400)
  })
})

describe('DELETE …/invitations/:invitation_id', () => {
  test('200, then 404; the link becomes invalid', async () => {
    const { data } = (await inviteMember(guest())).body
    expect((await admin.ask('DELETE', `${path}/${data.id}`)).status).toBe(200)
    expect((await admin.ask('DELETE', `${path}/${data.id}`)).status).toBe(404)
    expect((await accept(tokenOf(data.invite_url), newcomer)).status).toBe(404)
  })
})

describe('GET /console/api/invitations/:token', () => {
  test('200 with the workspace; 404 after seven days', async () => {
    const { setNow, appContext } = service
    const email = guest()
    const token = await invited(email)
    expect((await show(token)).body.data).toEqual({
      workspace: { id: service.workspaceId, name: 'Workspace 1', slug: 'workspace-1', logo_url: null },
      email_address: email,
      access_level: 'member',
      invited_by: { first_name: 'Person', last_name: expect.any(String) },
      has_account: false,
      expires_at: expect.any(String),
    })
    setNow(appContext.now() + 7 * 86_400 * 1_000_000)
    expect((await show(token)).status).toBe(404)
    setNow()
  })

  test('an invitation that has expired is in no list, and a later one to the address is a new one', async () => {
    const { setNow, appContext, db } = service
    const email = guest()
    const { data: expired } = (await inviteMember(email)).body
    const { data: team } = (await admin.ask('POST', teams, { name: 'Invited' })).body
    await db.sql`insert into relata.team_invitations values (${service.workspaceId}, ${team.id}, ${expired.id})`
    const invitedOf = async () => {
      const { data } = (await admin.ask('GET', teams)).body
      return data.find(({ id }: { id: string }) => id === team.id).invited
    }
    expect(await invitedOf()).toEqual([email])
    setNow(appContext.now() + 7 * 86_400 * 1_000_000)
    expect((await admin.ask('GET', path)).body.data).toEqual([])
    expect(await invitedOf()).toEqual([])
    const { data: renewed } = (await inviteMember(email)).body
    expect(renewed.id).not.toBe(expired.id)
    expect(await invitedOf()).toEqual([])
    await Promise.all([1, 2].map(() => deleteExpiredInvitations(db, appContext.now(), 1000)))
    const rows = await db.sql<{ id: string }[]>`select id from relata.invitations`
    expect(rows.map(({ id }) => id)).toEqual([renewed.id])
    setNow()
  })
})

describe('POST /console/api/invitations/:token/accept', () => {
  test('200 with a new account that is signed in, once', async () => {
    const token = await invited(guest())
    const answers = await Promise.all([accept(token, newcomer), accept(token, newcomer)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404])
    const { headers, body } = answers.find(({ status }) => status === 200) ?? { headers: new Headers(), body: {} }
    expect(body.data.workspace_id).toBe(service.workspaceId)
    const Cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    const own = { key: null, headers: { Cookie, 'X-Workspace': service.workspaceId } }
    expect((await service.request('GET', '/console/v2/objects', undefined, own)).status).toBe(200)
    expect((await service.request('GET', path, undefined, own)).status).toBe(403)
  })

  test.each([
    [names, 'password'],
    [{ ...names, password: 'short' }, 'password'],
    [{ ...newcomer, first_name: '' }, 'first_name'],
  ])('400 for %p', async (body, member) => {
    const answer = await accept(await invited(guest()), body)
    expect([answer.status, answer.body.validation_errors[0].path]).toEqual([400, [member]])
  })

  test('200 with the session or the password of the invited account; another session does not join', async () => {
    const other = await service.anotherWorkspace()
    const person = await signedIn(service, { [other.workspaceId]: 'admin' })
    const stranger = await signedIn(service, { [other.workspaceId]: 'admin' })
    const token = await invited(person.email_address)
    expect((await show(token)).body.data.has_account).toBe(true)
    expect((await accept(token, names)).status).toBe(400)
    expect((await accept(token, newcomer, stranger.headers)).status).toBe(200)
    expect((await person.ask('GET', '/console/v2/objects', undefined, service.workspaceId)).status).toBe(200)
    expect((await stranger.ask('GET', '/console/v2/objects', undefined, service.workspaceId)).status).toBe(404)

    const another = await signedIn(service, { [other.workspaceId]: 'admin' })
    const second = await invited(another.email_address)
    expect((await accept(second, { ...names, password: 'wrong horse battery' })).status).toBe(401)
    const joined = await accept(second, names, another.headers)
    expect([joined.status, joined.headers.get('set-cookie')]).toEqual([200, null])
  })

  test('200 without a session for an account with a second factor; a session from a provider does not join', async () => {
    const { db, appContext } = service
    const other = await service.anotherWorkspace()
    const bound = { method: 'provider', secondFactor: null, workspaceId: other.workspaceId } as const
    const person = await signedIn(service, { [other.workspaceId]: 'member' }, bound)
    const passkey = {
      credential_id: person.accountId,
      public_key: new Uint8Array(),
      counter: 0,
      transports: [],
      name: '',
    }
    await insertPasskey(db.sql, person.accountId, passkey, appContext.now())
    const token = await invited(person.email_address)
    expect((await accept(token, names, person.headers)).status).toBe(400)
    const { status, headers, body } = await accept(token, { ...names, password: person.password })
    expect([status, headers.get('set-cookie')]).toEqual([200, null])
    expect(body.data.second_factor).toEqual({ token: expect.any(String), methods: ['passkey'] })
  })

  test('200 for a member without an account, who stays the same member', async () => {
    const email_address = guest()
    const { db, workspaceId, appContext } = service
    const named = { first_name: 'G', last_name: 'H', email_address, access_level: 'member', account_id: null } as const
    const { id } = await createMember(db, workspaceId, named, appContext.now())
    const { body } = await accept(await invited(email_address), newcomer)
    expect(body.data.workspace_member_id).toBe(id)
  })
})
