import { beforeAll, describe, expect, test } from 'bun:test'
import { createMember } from '#access/members/members'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let grace: string
beforeAll(async () => {
  const { db, workspaceId, appContext } = service
  const person = { first_name: 'Grace', last_name: 'Hopper', email_address: 'grace@navy.example', account_id: null }
  grace = (await createMember(db, workspaceId, { ...person, access_level: 'suspended' }, appContext.now())).id
})

const path = '/v2/workspace_members'
const found = async (query: string) =>
  (await service.request('GET', path + query)).body.data.map(({ first_name }: { first_name: string }) => first_name)

describe('GET /v2/workspace_members', () => {
  test('200 with all members in the order of their creation, also suspended ones', async () => {
    const { status, body } = await service.request('GET', path)
    expect(status).toBe(200)
    expect(body.data).toHaveLength(2)
    expect(body.data[1]).toEqual({
      id: { workspace_id: service.workspaceId, workspace_member_id: grace },
      first_name: 'Grace',
      last_name: 'Hopper',
      avatar_url: null,
      email_address: 'grace@navy.example',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/),
      access_level: 'suspended',
    })
  })

  const searches: [query: string, names: string[]][] = [
    ['?search=grace', ['Grace']],
    ['?search=HOPPER%20grace', ['Grace']],
    ['?search=navy', ['Grace']],
    ['?search=', ['Ada', 'Grace']],
    ['?search=nobody', []],
  ]
  test.each(searches)('200 for %s', async (query, names) => expect(await found(query)).toEqual(names))

  test('200 without members of other workspaces', async () => {
    const other = await service.anotherWorkspace()
    const { body } = await service.request('GET', path, undefined, { key: other.key })
    expect(body.data.map((member: { id: object }) => member.id)).toEqual([
      { workspace_id: other.workspaceId, workspace_member_id: other.member.id },
    ])
  })
})

describe('GET /v2/workspace_members/:workspace_member_id', () => {
  test('200 for a member of the workspace', async () => {
    const { status, body } = await service.request('GET', `${path}/${grace.toUpperCase()}`)
    expect([status, body.data.first_name]).toEqual([200, 'Grace'])
  })

  test.each(['11111111-1111-4111-8111-111111111111', 'grace', "'"])('404 for %s', async (id) => {
    const { status, body } = await service.request('GET', `${path}/${id}`)
    expect([status, body.code, body.message]).toEqual([
      404,
      'not_found',
      `Workspace member with ID "${id}" was not found.`,
    ])
  })

  test('404 for a member of another workspace', async () => {
    const other = await service.anotherWorkspace()
    expect((await service.request('GET', `${path}/${grace}`, undefined, { key: other.key })).status).toBe(404)
  })
})
