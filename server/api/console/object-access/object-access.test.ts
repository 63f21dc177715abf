/** The routes that set the access of members and teams to objects. See docs/access.md (Access to objects). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { usePerson, useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let root: string
let access: string
beforeAll(async () => {
  root = `/console/api/workspaces/${service.workspaceId}`
  access = `${root}/objects/companies/access`
})

let count = 0
const newTeam = async (): Promise<string> =>
  (await admin.ask('POST', `${root}/teams`, { name: `Team ${++count}` })).body.data.id
const join = (team: string) =>
  admin.ask('PUT', `${root}/teams/${team}/members/${member.memberIds[service.workspaceId]}`)
const set = (members: string, teams: [team: string, access: string][] = []) =>
  admin.ask('PUT', access, { members, teams: teams.map(([team_id, access]) => ({ team_id, access })) })

/** The member's access to companies. */
async function ownAccess(): Promise<string> {
  const id = (await admin.ask('GET', '/console/v2/objects/companies')).body.data.id.object_id
  const { data } = (await member.ask('GET', `${root}/object-access`)).body
  const own = data.find((each: { object_id: string }) => each.object_id === id)
  expect(own?.grants).toBeUndefined()
  return own?.access ?? 'hidden'
}

describe('…/objects/:object_id/access', () => {
  test('200 for what is set, with an entry in the audit log; by default read-write', async () => {
    expect((await admin.ask('GET', access)).body.data).toEqual({ members: 'read-write', teams: [] })
    const team = await newTeam()
    const grants = { members: 'hidden', teams: [{ team_id: team, access: 'read-only' }] }
    expect((await admin.ask('PUT', access, grants)).body.data).toEqual(grants)
    expect((await admin.ask('GET', access)).body.data).toEqual(grants)
    const listed = (await admin.ask('GET', `${root}/object-access`)).body.data
    expect(listed.filter((each: { grants: object }) => Bun.deepEquals(each.grants, grants))).toHaveLength(1)
    const [entry] = (await admin.ask('GET', `${root}/audit-log`)).body.data
    const before = { members: 'read-write', teams: [] }
    expect(entry).toMatchObject({ action: 'object.access-changed', details: { before, after: grants } })
    expect((await set('read-write')).body.data).toEqual(before)
  })

  test('404 for an unknown object or team; 400 for a team named twice and for other words', async () => {
    const team = await newTeam()
    expect((await admin.ask('GET', `${root}/objects/nothing/access`)).status).toBe(404)
    expect((await set('hidden', [[ABSENT, 'hidden']])).status).toBe(404)
    expect((await set('hidden', [[team, 'hidden'], [team.toUpperCase(), 'hidden']])).status).toBe(400) // prettier-ignore
    expect((await set('full-access')).status).toBe(400)
    expect((await admin.ask('PUT', access, { members: 'hidden' })).status).toBe(400)
    expect(await ownAccess()).toBe('read-write')
  })

  test('lists the objects and activities that never had a record, without hidden ones', async () => {
    const neverUsed = async (who: typeof admin): Promise<string[]> =>
      (await who.ask('GET', `${root}/object-access`)).body.never_used
    const [workspaces, calls] = await Promise.all([
      admin.ask('GET', '/console/v2/objects/workspaces').then(({ body }) => body.data.id.object_id),
      admin.ask('GET', '/console/v2/activities/phone_calls').then(({ body }) => body.data.id.activity_id),
    ])
    expect(await neverUsed(member)).toEqual(expect.arrayContaining([workspaces, calls]))
    await admin.ask('PUT', `${root}/objects/${workspaces}/access`, { members: 'hidden', teams: [] })
    expect(await neverUsed(member)).not.toContain(workspaces)
    await admin.ask('PUT', `${root}/objects/${workspaces}/access`, { members: 'read-write', teams: [] })
    const values = { workspace_id: 'w-1' }
    expect((await admin.ask('POST', '/console/v2/objects/workspaces/records', { data: { values } })).status).toBe(200)
    expect(await neverUsed(member)).not.toContain(workspaces)
    expect(await neverUsed(admin)).toContain(calls)
  })

  test('the greatest grant of the teams of a member replaces the grant of all members', async () => {
    const [first, second] = [await newTeam(), await newTeam()]
    await set('read-write', [[first, 'hidden'], [second, 'read-only']]) // prettier-ignore
    expect(await ownAccess()).toBe('read-write')
    await join(first)
    expect(await ownAccess()).toBe('hidden')
    await join(second)
    expect(await ownAccess()).toBe('read-only')
    await admin.ask('DELETE', `${root}/teams/${second}`)
    expect(await ownAccess()).toBe('hidden')
    expect((await admin.ask('GET', access)).body.data.teams).toEqual([{ team_id: first, access: 'hidden' }])
    await admin.ask('DELETE', `${root}/teams/${first}`)
    expect(await ownAccess()).toBe('read-write')
  })
})
