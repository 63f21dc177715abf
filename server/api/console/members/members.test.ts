import { beforeAll, describe, expect, test } from 'bun:test'
import { createMember } from '#access/members/members'
import { BY_PASSWORD } from '#access/sessions/sessions'
import { signedIn, type Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
let member: Person
let path: string
beforeAll(async () => {
  member = await signedIn(service, { [service.workspaceId]: 'member' })
  path = `/console/api/workspaces/${service.workspaceId}/members`
})

const idOf = ({ memberIds }: Person) => memberIds[service.workspaceId]
const change = (by: Person, whom: Person, body: object) => by.ask('PATCH', `${path}/${idOf(whom)}`, body)

describe('GET …/members', () => {
  test('200 for every member, also with members without an account', async () => {
    const { status, body } = await member.ask('GET', path)
    expect([status, body.data.length]).toEqual([200, 3])
    expect(body.data[0]).toMatchObject({ email_address: service.member.email_address, has_account: false })
    expect(body.data.at(-1)).toEqual({
      id: idOf(member),
      first_name: 'Person',
      last_name: expect.any(String),
      email_address: member.email_address,
      avatar_url: null,
      access_level: 'member',
      created_at: expect.stringMatching(/\d{9}Z$/),
      has_account: true,
    })
  })
})

describe('PATCH …/members/:workspace_member_id', () => {
  test('200 for the name of the member itself; 403 for its role and for other members', async () => {
    const named = await change(member, member, { first_name: 'Grace', last_name: 'Hopper' })
    expect([named.status, named.body.data.first_name]).toEqual([200, 'Grace'])
    expect((await change(member, member, { access_level: 'admin' })).status).toBe(403)
    expect((await change(member, admin, { first_name: 'X' })).status).toBe(403)
  })

  test('200 for an admin; the API and the next request of the changed member show it', async () => {
    const { status, body } = await change(admin, member, { access_level: 'suspended' })
    expect([status, body.data.access_level]).toEqual([200, 'suspended'])
    const { data } = (await service.request('GET', `/v2/workspace_members/${idOf(member)}`)).body
    expect(data.access_level).toBe('suspended')
    expect((await member.ask('GET', path)).status).toBe(401)
    await change(admin, member, { access_level: 'member' })
    expect((await member.ask('GET', path)).status).toBe(401)
    member = await member.signInAgain(BY_PASSWORD)
    expect((await member.ask('GET', path)).status).toBe(200)
  })

  test('409 for every change that leaves no admin who can sign in', async () => {
    const refused = await change(admin, admin, { access_level: 'member' })
    expect([refused.status, refused.body.code]).toEqual([409, 'last_admin'])
    expect((await change(admin, admin, { access_level: 'suspended' })).status).toBe(409)
    await change(admin, member, { access_level: 'admin' })
    const both = await Promise.all([
      change(admin, member, { access_level: 'member' }),
      change(member, admin, { access_level: 'member' }),
    ])
    expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
    const { data } = (await admin.ask('GET', path)).body
    const admins = data.filter(
      (one: Record<string, unknown>) => one.access_level === 'admin' && one.has_account === true,
    )
    expect(admins).toHaveLength(1)
  })

  test('400 for an empty change, 404 for an unknown member', async () => {
    const boss = await signedIn(service)
    expect((await change(boss, boss, {})).status).toBe(400)
    expect((await change(boss, boss, { access_level: 'owner' })).status).toBe(400)
    expect((await boss.ask('PATCH', `${path}/nobody`, { first_name: 'X' })).status).toBe(404)
    const { db, appContext, anotherWorkspace } = service
    const { workspaceId } = await anotherWorkspace()
    const named = {
      first_name: 'G',
      last_name: 'H',
      email_address: 'g@h.i',
      access_level: 'member',
      account_id: null,
    } as const
    const { id } = await createMember(db, workspaceId, named, appContext.now())
    expect((await boss.ask('PATCH', `${path}/${id}`, { first_name: 'X' })).status).toBe(404)
  })
})
