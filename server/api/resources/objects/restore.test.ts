/** Restorations of deleted objects. */

import { afterEach, describe, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { linkedObject } from '#testing/linked-object'
import { signedIn } from '#testing/people'
import { testService } from '#testing/service'
import { useTestService } from '#testing/use-service'
import { reference, trashClient } from '#testing/trash'
import { dataOf } from '#testing/whole-workspace/data-of'

const service = useTestService()
let cases = 0
afterEach(() => service.setNow())

const DAY = 86_400_000_000
const next = () => `thing_${++cases}`
const namesOf = (slug: string) => ({ api_slug: slug, singular_noun: slug, plural_noun: `${slug}s` })
const get = (path: string) => service.request('GET', `/v2${path}`)
const remove = (slug: string) => service.request('DELETE', `/v2/objects/${slug}`)
const restore = (id: string, data?: object) =>
  service.request('POST', `/v2/objects/${id}/restore`, data === undefined ? undefined : { data })
const listed = async () => (await get('/trash/objects')).body.data

async function object(slug = next()): Promise<{ slug: string; id: string }> {
  const { id } = await dataOf(service, 'POST')('/objects', namesOf(slug))
  return { slug, id: id.object_id }
}

describe('POST /v2/objects/{object_id}/restore', () => {
  test('200, and everything is as it was', async () => {
    const { slug, id, paths } = await linkedObject(service, next())
    const read = async () => Promise.all(paths.map(async (path) => (await get(path)).body))
    const before = await read()
    expect(before.filter(({ data }) => data === undefined)).toEqual([])
    expect((await remove(slug)).status).toBe(200)
    const { status, body } = await restore(id)
    expect([status, body.data]).toEqual([200, (await get(`/objects/${slug}`)).body.data])
    expect(await read()).toEqual(before)
    expect(await listed()).toEqual([])
    const sql = await service.request('POST', '/v2/sql', { sql: `select code from objects.${slug}` })
    expect(sql.body.data.rows ?? sql.body.data).toMatchObject([{ code: `${slug} code` }])
  })

  test('200 with what others wrote meanwhile', async () => {
    const { slug, id, other, otherRecord, person, record } = await linkedObject(service, next())
    const trash = trashClient(service)
    await remove(slug)
    await trash.update(other, otherRecord, { anything: reference('people', person) })
    await service.request('PUT', `/v2/objects/${other}/records/${otherRecord}`, { data: { values: { some: [] } } })
    await restore(id)
    const values = await trash.values(other, otherRecord)
    expect(values.anything).toMatchObject([reference('people', person)])
    expect(values.only).toMatchObject([reference(slug, record)])
    expect(await trash.history(other, otherRecord, 'anything')).toHaveLength(2)
  })

  test('200 after a record that it refers to was deleted and restored, deleted for good, or merged', async () => {
    for (const change of ['restored', 'purged', 'merged'] as const) {
      const { slug, id, record, person } = await linkedObject(service, next())
      const trash = trashClient(service)
      await remove(slug)
      const second = await trash.create('people')
      if (change === 'merged') {
        const data = { primary_record_id: person, secondary_record_id: second }
        expect((await service.request('POST', '/v2/objects/people/records/merge', { data })).status).toBe(200)
      } else {
        expect((await trash.remove('people', person)).status).toBe(200)
        const then = change === 'restored' ? trash.restore : trash.purge
        expect((await then('people', person)).status).toBe(200)
      }
      expect((await restore(id)).status).toBe(200)
      const { owner } = await trash.values(slug, record)
      expect(owner).toHaveLength(change === 'purged' ? 0 : 1)
      if (change === 'restored') expect(owner).toMatchObject([reference('people', person)])
      if (change !== 'purged')
        expect((await trash.values('people', owner[0].target_record_id))[`${slug}_owned`]).toHaveLength(1)
    }
  })

  test('409 for a name that another object has meanwhile, 200 with another one', async () => {
    const { slug, id } = await object()
    await remove(slug)
    await object(slug)
    const refused = await restore(id)
    expect([refused.status, refused.body.code]).toEqual([409, 'slug_conflict'])
    expect(refused.body.message).toContain('another api_slug in the body')
    const noun = await restore(id, { api_slug: `${slug}_old` })
    expect([noun.status, noun.body.message]).toEqual([409, expect.stringContaining('another singular_noun in the body')])
    const names = namesOf(`${slug}_old`)
    const { status, body } = await restore(id, names)
    expect([status, body.data]).toEqual([200, expect.objectContaining(names)])
    expect((await restore((await object()).id, names)).status).toBe(404)
  }) // prettier-ignore

  test('400 for a slug that no custom object may have', async () => {
    const { slug, id } = await object()
    await remove(slug)
    for (const api_slug of ['people', 'records', 'No slug', id])
      expect((await restore(id, { api_slug })).status).toBe(api_slug === 'people' ? 400 : 400)
    expect((await restore(id)).status).toBe(200)
  })

  test('200, and lists and attributes whose slugs were given to others get free ones', async () => {
    const post = dataOf(service, 'POST')
    const { slug, id, list, other, person } = await linkedObject(service, next())
    await remove(slug)
    for (const [of, api_slug] of [['people', `${slug}_owned`], [other, 'only']] as const)
      await post(`/objects/${of}/attributes`, attributeInput({ api_slug })) // prettier-ignore
    await post('/lists', {
      name: 'x', api_slug: list, parent_object: 'people', workspace_access: 'full-access', workspace_member_access: [],
    }) // prettier-ignore
    expect((await restore(id)).status).toBe(200)
    expect((await get(`/lists/${list}_2`)).body.data.parent_object).toEqual([slug])
    expect((await get(`/objects/${other}/attributes/only_2`)).body.data.type).toBe('record-reference')
    expect((await trashClient(service).values('people', person))[`${slug}_owned_2`]).toHaveLength(1)
  })

  test('200 for two objects to whose records one attribute refers, in any order', async () => {
    const post = dataOf(service, 'POST')
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      // prettier-ignore
      const objects = [await object(), await object()]
      const { slug } = await object()
      const config = { record_reference: { allowed_objects: objects.map((each) => each.slug) } }
      await post(`/objects/${slug}/attributes`, attributeInput({ api_slug: 'both', type: 'record-reference', config }))
      for (const each of objects) expect((await remove(each.slug)).status).toBe(200)
      expect((await get(`/objects/${slug}/attributes/both`)).status).toBe(404)
      for (const index of order) {
        expect((await restore(objects[index]?.id ?? '')).status).toBe(200)
        expect((await get(`/objects/${slug}/attributes/both`)).status).toBe(200)
      }
      const { config: shown } = (await get(`/objects/${slug}/attributes/both`)).body.data
      expect(shown.record_reference.allowed_object_ids).toEqual(objects.map(({ id }) => id))
    }
  })

  test('404 for an object that is not in the trash, has expired, or is of another workspace', async () => {
    const { slug, id } = await object()
    expect((await restore(id)).status).toBe(404)
    expect((await restore(crypto.randomUUID())).status).toBe(404)
    expect((await restore('no-id')).status).toBe(400)
    await remove(slug)
    const { key } = await service.anotherWorkspace()
    expect((await service.request('POST', `/v2/objects/${id}/restore`, undefined, { key })).status).toBe(404)
    expect((await service.request('GET', '/v2/trash/objects', undefined, { key })).body.data).toEqual([])
    service.setNow(service.appContext.now() + 30 * DAY)
    expect([(await restore(id)).status, await listed()]).toEqual([404, []])
  })

  test('200 once of two restorations at the same time', async () => {
    const { slug, id } = await object()
    await remove(slug)
    const both = await Promise.all([restore(id), restore(id)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
  })

  test('400 when the workspace may have no more objects', async () => {
    const few = await testService({ objectQuota: 1 })
    try {
      const { id } = await dataOf(few, 'POST')('/objects', namesOf('first'))
      await few.request('DELETE', '/v2/objects/first')
      await dataOf(few, 'POST')('/objects', namesOf('second'))
      const { status, body } = await few.request('POST', `/v2/objects/${id.object_id}/restore`)
      expect([status, body.code]).toEqual([400, 'quota_exceeded'])
    } finally {
      await few.close()
    }
  })

  test('list.created for its lists, object-attribute.updated for attributes that refer to it, none for its records', async () => {
    const { slug, id } = await linkedObject(service, next())
    await remove(slug)
    await service.events()
    await restore(id)
    const types = (await service.events()).map(({ event_type }) => event_type)
    const updated = 'object-attribute.updated' as const
    expect(types.toSorted()).toEqual(['list.created', updated, updated, updated])
  }) // prettier-ignore
})

describe('GET /v2/trash/objects', () => {
  test('200 with the newest deletion first', async () => {
    const [first, second] = [await object(), await object()]
    for (const each of [first, second]) await remove(each.slug)
    const [newest, oldest] = await listed()
    expect(newest).toEqual({
      id: { workspace_id: service.workspaceId, object_id: second.id },
      ...namesOf(second.slug),
      deleted_at: expect.any(String),
      deleted_by_actor: { type: 'api-token', id: expect.any(String) },
      expires_at: expect.any(String),
    })
    expect(oldest.id.object_id).toBe(first.id)
    expect(Date.parse(newest.expires_at) - Date.parse(newest.deleted_at)).toBe(30 * 86_400_000)
  })

  test('neither shows nor restores an object that is hidden from the member, and restores none that is read-only', async () => {
    const { slug, id } = await object()
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    for (const access of ['hidden', 'read-only'] as const) {
      await service.db.sql`update relata.objects set member_access = ${access} where id = ${id}`
      await service.appContext.models.reload(service.workspaceId)
      if (access === 'hidden') await remove(slug)
      const key = await service.keyWith(
        ['object_configuration:read-write', 'record_permission:read-write'],
        member.memberIds[service.workspaceId],
      )
      const { body } = await service.request('GET', '/v2/trash/objects', undefined, { key })
      const seen = body.data.map((each: { api_slug: string }) => each.api_slug).includes(slug)
      const { status } = await service.request('POST', `/v2/objects/${id}/restore`, undefined, { key })
      expect([access, seen, status]).toEqual(access === 'hidden' ? [access, false, 404] : [access, true, 403])
    }
  })
})
