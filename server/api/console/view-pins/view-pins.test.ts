/** See docs/reference/views.md (Pins). */

import { describe, expect, test } from 'bun:test'
import { listClient } from '#testing/lists'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const lists = listClient(service)
const ada = usePerson(service)
const bob = usePerson(service, 'member')

const pins = (person: Person) => person.ask('GET', `/console/api/workspaces/${service.workspaceId}/view-pins`)
const pin = (person: Person, id: string, method: 'PUT' | 'DELETE' = 'PUT') =>
  person.ask(method, `/console/api/workspaces/${service.workspaceId}/view-pins/${id}`)
const view = async (path: string, members: object = {}) => {
  const { body } = await service.request('POST', `/v2${path}/views`, {
    data: { title: 'A view', type: 'table', ...members },
  })
  return body.data.id
}
const idsOf = async (person: Person) => (await pins(person)).body.data.map((one: { view_id: string }) => one.view_id)

describe('view-pins', () => {
  test('200 in the order of pinning, for the member only; again changes nothing', async () => {
    const { view_id: second } = await view('/objects/people', { title: 'Second' })
    const { view_id: first, object_id } = await view('/objects/companies', { title: 'First', type: 'board' })
    for (const id of [first, second, first.toUpperCase()]) expect((await pin(ada, id)).status).toBe(200)
    const { body } = await pins(ada)
    expect(body.data[0]).toEqual({
      view_id: first,
      title: 'First',
      type: 'board',
      entity_type: { kind: 'objects', id: object_id, slug: 'companies' },
    })
    expect(await idsOf(ada)).toEqual([first, second])
    expect(await idsOf(bob)).toEqual([])
    expect((await pin(ada, first, 'DELETE')).status).toBe(200)
    expect((await pin(ada, first, 'DELETE')).status).toBe(200)
    expect(await idsOf(ada)).toEqual([second])
  })

  test('404 for views that do not exist, are of a private list, or personal ones of others', async () => {
    const access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const hidden = await lists.list({ workspace_access: null, workspace_member_access: access })
    const { view_id } = await view(`/lists/${hidden}`)
    const mine = await ada.ask('POST', '/console/v2/objects/people/views', {
      data: { title: 'Mine', type: 'table', is_personal: true },
    })
    for (const id of [ABSENT, 'x', view_id, mine.body.data.id.view_id]) expect((await pin(bob, id)).status).toBe(404)
    expect((await pin(ada, mine.body.data.id.view_id)).status).toBe(200)
  })

  test('200 without pins of views that were archived, deleted or hidden since', async () => {
    const list = await lists.list()
    const ids = [await view(`/lists/${list}`), await view('/objects/people'), await view('/objects/people')]
    for (const { view_id } of ids) await pin(bob, view_id)
    await service.request('PATCH', `/v2/lists/${list}`, {
      data: {
        workspace_access: null,
        workspace_member_access: [{ workspace_member_id: service.member.id, level: 'full-access' }],
      },
    })
    const [, archived, deleted] = ids
    await service.request('PATCH', `/v2/objects/people/views/${archived.view_id}`, { data: { is_archived: true } })
    await service.request('DELETE', `/v2/objects/people/views/${deleted.view_id}`)
    expect(await idsOf(bob)).toEqual([])
  })

  test('404 for a view of a hidden object, whose pins are left out', async () => {
    const { view_id, object_id } = await view('/objects/deals')
    const filtered = await view('/objects/companies', { filter: { associated_deals: { $not_empty: true } } })
    for (const id of [view_id, filtered.view_id]) expect((await pin(bob, id)).status).toBe(200)
    const set = (members: string) =>
      ada.ask('PUT', `/console/api/workspaces/${service.workspaceId}/objects/${object_id}/access`, {
        members,
        teams: [],
      })
    expect((await set('hidden')).status).toBe(200)
    expect(await idsOf(bob)).toEqual([])
    for (const id of [view_id, filtered.view_id]) expect((await pin(bob, id)).status).toBe(404)
    await set('read-write')
    expect(await idsOf(bob)).toEqual([view_id, filtered.view_id])
  })
})
