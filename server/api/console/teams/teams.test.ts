/** Teams, and lists that are shared with them. See docs/reference/scim.md (Teams). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import type { Person } from '#testing/people'
import { scimClient } from '#testing/scim'
import { usePerson, useTestService } from '#testing/use-service'
import { findListAccess } from '#events/webhooks/match/webhook-access'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
let root: string
beforeAll(async () => {
  root = `/console/api/workspaces/${service.workspaceId}`
})

let count = 0
interface ShownGroup {
  readonly id: string
  readonly members: readonly { readonly value: string }[]
}

const newTeam = async (): Promise<string> =>
  (await admin.ask('POST', `${root}/teams`, { name: `Team ${++count}` })).body.data.id
const idOf = ({ memberIds }: Person) => memberIds[service.workspaceId] ?? ''

describe('…/teams', () => {
  test('200 for a team that is created, renamed, filled, emptied and deleted', async () => {
    const id = await newTeam()
    expect((await admin.ask('PATCH', `${root}/teams/${id}`, { name: ' Sales ' })).status).toBe(200)
    for (const each of [admin, member, member])
      expect((await admin.ask('PUT', `${root}/teams/${id}/members/${idOf(each)}`)).status).toBe(200)
    const read = async () => (await member.ask('GET', `${root}/teams`)).body.data
    const [team] = await read()
    expect(team).toMatchObject({ id, name: 'Sales', invited: [] })
    expect(team.member_ids.toSorted()).toEqual([idOf(admin), idOf(member)].toSorted())
    await admin.ask('DELETE', `${root}/teams/${id}/members/${idOf(admin)}`)
    expect((await read())[0].member_ids).toEqual([idOf(member)])
    const { body: group } = await scimClient(service).ask('GET', '/Groups?filter=displayName eq "sales"')
    expect(group.Resources.map(({ id, members }: ShownGroup) => [id, members[0]?.value])).toEqual([[id, idOf(member)]])
    expect((await admin.ask('DELETE', `${root}/teams/${id}`)).status).toBe(200)
    expect(await read()).toEqual([])
    const { body } = await admin.ask('GET', `${root}/audit-log`)
    expect(body.data.slice(0, 6).map(({ action }: { action: string }) => action)).toEqual([
      'team.deleted',
      'team.member-removed',
      'team.member-added',
      'team.member-added',
      'team.updated',
      'team.created',
    ])
  })

  test('409 for the name of another team; 400 for none; 404 for unknown teams and members', async () => {
    const id = await newTeam()
    const taken = await admin.ask('POST', `${root}/teams`, { name: `TEAM ${count}` })
    expect([taken.status, taken.body.code]).toEqual([409, 'slug_conflict'])
    expect((await admin.ask('PATCH', `${root}/teams/${id}`, { name: `team ${count}` })).status).toBe(200)
    for (const name of ['', ' ', 'x'.repeat(201), 5, 'a\nb'])
      expect((await admin.ask('POST', `${root}/teams`, { name })).status).toBe(400)
    const { member: foreign } = await service.anotherWorkspace()
    for (const [method, path] of [
      ['PATCH', ABSENT],
      ['DELETE', 'x'],
      ['PUT', `${id}/members/${foreign.id}`],
      ['DELETE', `${id}/members/x`],
    ] as const)
      expect((await admin.ask(method, `${root}/teams/${path}`, { name: 'New' })).status).toBe(404)
  })
})

describe('…/lists/:list_id/teams', () => {
  const privateList = () =>
    listClient(service).list({
      workspace_access: null,
      workspace_member_access: [{ workspace_member_id: idOf(admin), level: 'full-access' }],
    })
  const share = (list: string, teams: object[], by = admin) => by.ask('PUT', `${root}/lists/${list}/teams`, { teams })
  const canRead = async (list: string) => (await member.ask('GET', `/console/v2/lists/${list}`)).status

  test('200: the members of a team get the access of the list, and lose it with the team', async () => {
    const list = await privateList()
    const team_id = await newTeam()
    const path = `${root}/teams/${team_id}/members/${idOf(member)}`
    expect(await canRead(list)).toBe(404)
    const { status, body } = await share(list, [{ team_id, level: 'read-only' }])
    expect([status, body.data]).toEqual([200, [{ team_id, level: 'read-only' }]])
    expect(await canRead(list)).toBe(404)
    await admin.ask('PUT', path)
    expect(await canRead(list)).toBe(200)
    const teams = await member.ask('GET', `${root}/lists/${list}/teams`)
    expect(teams.body.data).toEqual([{ team_id, level: 'read-only' }])
    expect((await share(list, [], member)).status).toBe(403)
    await share(list, [{ team_id, level: 'full-access' }])
    expect((await share(list, [{ team_id, level: 'read-and-write' }], member)).status).toBe(200)
    const { body: shown } = await admin.ask('GET', `/console/v2/lists/${list}`)
    expect(shown.data.workspace_member_access).toHaveLength(1)
    await scimClient(service).patch(`/Groups/${team_id}`, [{ op: 'remove', path: 'members' }])
    expect(await canRead(list)).toBe(404)
    await admin.ask('PUT', path)
    expect(await canRead(list)).toBe(200)
    await admin.ask('DELETE', `${root}/teams/${team_id}`)
    expect(await canRead(list)).toBe(404)
  })

  test('webhooks read the same access', async () => {
    const list = await privateList()
    const team_id = await newTeam()
    await admin.ask('PUT', `${root}/teams/${team_id}/members/${idOf(member)}`)
    await share(list, [{ team_id, level: 'read-only' }])
    const { body } = await admin.ask('GET', `/console/v2/lists/${list}`)
    const listId: string = body.data.id.list_id
    const found = await service.db.sql.begin((tx) => findListAccess(tx, [service.workspaceId], [listId]))
    expect(found.get(listId)?.teamAccess).toEqual([{ team_id, level: 'read-only', memberIds: new Set([idOf(member)]) }])
  })

  test('404 and 400 for unknown teams and lists, and for a team that is named twice', async () => {
    const list = await privateList()
    const team = { team_id: await newTeam(), level: 'read-only' }
    expect((await share(list, [{ ...team, team_id: ABSENT }])).status).toBe(404)
    expect((await share(list, [team, team])).status).toBe(400)
    expect((await share(list, [{ ...team, level: 'all' }])).status).toBe(400)
    expect((await share('nothing', [team])).status).toBe(404)
    expect((await share(list, [team], member)).status).toBe(404)
  })
})
