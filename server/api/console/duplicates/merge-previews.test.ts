/** See docs/reference/records.md (Merge). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const bob = usePerson(service, 'member')
let path: string
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}/merge-previews`
  const data = attributeInput({ api_slug: 'tags', type: 'select', is_multiselect: true })
  await service.request('POST', '/v2/objects/people/attributes', { data })
  for (const title of ['a', 'b', 'c'])
    await service.request('POST', '/v2/objects/people/attributes/tags/options', { data: { title } })
})

async function create(values: object): Promise<string> {
  const { status, body } = await service.request('POST', '/v2/objects/people/records', { data: { values } })
  expect(status).toBe(200)
  return body.data.id.record_id
}

const preview = (primary: string, secondary: string, object = 'people') =>
  bob.ask('POST', path, { object, primary_record_id: primary, secondary_record_id: secondary })

/** Values without what differs from one record to another. */
const comparable = (values: Record<string, Record<string, unknown>[]>) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([slug]) => !['record_id', 'created_at'].includes(slug))
      .map(([slug, all]) => [slug, all.map(({ active_from: _, ...value }) => value)]),
  )

describe('POST …/merge-previews', () => {
  test('200 with the record that the merge then makes, and nothing changes', async () => {
    const primary = await create({ name: 'Lovelace, Ada', tags: ['a', 'b'] })
    const values = {
      name: 'King, Augusta',
      job_title: 'Analyst',
      tags: ['b', 'c'],
      email_addresses: ['ada@lovelace.org'],
    }
    const secondary = await create(values)
    await service.events()
    const { status, body } = await preview(primary, secondary)
    expect(status).toBe(200)
    expect(body.data.values.name[0].full_name).toBe('Ada Lovelace')
    expect(body.data.values.job_title[0].value).toBe('Analyst')
    expect(body.data.values.tags.map(({ option }: { option: { title: string } }) => option.title)).toEqual([
      'a',
      'b',
      'c',
    ])
    expect(await service.events()).toEqual([])
    for (const id of [primary, secondary])
      expect((await service.request('GET', `/v2/objects/people/records/${id}`)).status).toBe(200)

    const ids = { primary_record_id: primary, secondary_record_id: secondary }
    const merged = await service.request('POST', '/v2/objects/people/records/merge', { data: ids })
    const after = await service.request('GET', `/v2/objects/people/records/${merged.body.data.new_record_id}`)
    expect(comparable(body.data.values)).toEqual(comparable(after.body.data.values))
  })

  test('400 for a merge with itself, 404 for an unknown record or object, 400 for other bodies', async () => {
    const id = await create({ name: 'Lovelace, Ada' })
    expect((await preview(id, id.toUpperCase())).body.code).toBe('self_merge')
    expect((await preview(id, ABSENT)).status).toBe(404)
    expect((await preview(id, ABSENT, 'nothing')).status).toBe(404)
    expect((await preview(id, 'x')).status).toBe(400)
    const company = await service.request('POST', '/v2/objects/companies/records', { data: { values: { name: 'Co' } } })
    expect((await preview(id, company.body.data.id.record_id)).status).toBe(404)
  })

  test('404 for a hidden object, and 403 for one that the member may only view', async () => {
    const admin = await signedIn(service)
    const [one, two] = [await create({ name: 'A, A' }), await create({ name: 'B, B' })]
    const set = (members: string) =>
      admin.ask('PUT', `/console/api/workspaces/${service.workspaceId}/objects/people/access`, { members, teams: [] })
    try {
      await set('hidden')
      expect((await preview(one, two)).status).toBe(404)
      await set('read-only')
      expect((await preview(one, two)).status).toBe(403)
    } finally {
      await set('read-write')
    }
  })
})
