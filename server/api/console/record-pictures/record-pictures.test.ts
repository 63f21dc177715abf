/** The pictures of records. See docs/reference/records.md (Pictures). */

import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { createPictureClient } from '#crm/record-pictures/picture-client'
import { deleteUnusedPictures, MAX_DUE } from '#crm/record-pictures/store'
import { pictureWorker } from '#crm/record-pictures/worker'
import { createTargetPolicy } from '#events/webhooks/send/target'
import type { Person } from '#testing/people'
import { trashClient } from '#testing/trash'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')
const records = trashClient(service)

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const imageOf = (size: number) => new Bun.Image(PIXEL).resize(size, size).png().bytes()
const [SMALL, OTHER] = [await imageOf(32), await imageOf(48)]
const sent = (bytes: Uint8Array) => new Response(new Uint8Array(bytes))
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
const DAY = 86_400_000_000
const ABSENT = '11111111-1111-4111-8111-111111111111'

/** What the host of pictures answers, and how often it is asked. */
let answer: () => Response | Promise<Response>
let requests = 0
const host = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch() {
    requests++
    return answer()
  },
})
const ORIGIN = `http://127.0.0.1:${host.port}`
afterAll(() => host.stop(true))
beforeEach(async () => {
  await service.db.sql`delete from relata.record_pictures`
  answer = () => sent(SMALL)
  requests = 0
})

const objectPath = (object: string) => `/console/api/workspaces/${service.workspaceId}/objects/${object}`
const picturePath = (object: string, id: string) => `${objectPath(object)}/records/${id}/picture`

async function send(by: Person, method: 'PUT' | 'DELETE', object: string, id: string, body?: Uint8Array) {
  const init = { method, headers: { ...by.headers, 'Content-Type': 'image/png' } }
  const sent = body === undefined ? init : { ...init, body: new Uint8Array(body) }
  return (await service.app.handle(new Request(`http://localhost${picturePath(object, id)}`, sent))).status
}
const upload = (id: string, body: Uint8Array = SMALL, by = member, object = 'people') =>
  send(by, 'PUT', object, id, body)
const list = (object: string, ids: string, by = member) =>
  by.ask('GET', `${objectPath(object)}/pictures?record_ids=${ids}`)
const find = async (id: string, object = 'people', by = member) => (await list(object, id, by)).body.data[0]
const get = (path: string, by = member) =>
  service.app.handle(new Request(`http://localhost${path}`, { headers: by.headers }))
async function widthOf(path: string): Promise<number> {
  const response = await get(path)
  if (response.status !== 200) throw new Error(`The picture was answered with ${response.status}.`)
  return (await new Bun.Image(await response.arrayBuffer()).metadata()).width
}

/** An object whose records have the URL of their picture. */
async function objectWithUrls(slug: string): Promise<void> {
  await service.request('POST', '/v2/objects', {
    data: { api_slug: slug, singular_noun: slug, plural_noun: `${slug}s` },
  })
  const data = {
    title: 'Photo',
    description: null,
    api_slug: 'photo',
    type: 'text',
    is_required: false,
    is_unique: false,
    is_multiselect: false,
    config: {},
  }
  await service.request('POST', `/v2/objects/${slug}/attributes`, { data })
}

/** Fetches what is due, as the worker of a process does. */
async function fetchDue(): Promise<void> {
  const pictures = createPictureClient(createTargetPolicy({ allowPrivate: true }), { pageOf: () => `${ORIGIN}/` })
  const worker = pictureWorker.start({ ...service.appContext, pictures })
  await worker.settled()
  await worker.stop()
}

const setSettings = async (settings: object) => {
  const { status } = await admin.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, settings)
  expect(status).toBe(200)
}

const expire = (id: string) =>
  service.db.sql`update relata.record_pictures set expires_at = now() - interval '1 second' where record_id = ${id}`

async function referencedBlobs(): Promise<number> {
  const [row] = await service.db.sql`select count(*)::int as count from relata.blobs where references_count > 0`
  return Number(row?.count)
}

describe('an uploaded picture', () => {
  test('200; it is small, of one type, and only for members of the workspace', async () => {
    const id = await records.create('people')
    expect(await find(id)).toBeUndefined()
    expect(await upload(id.toUpperCase())).toBe(200)
    const { path, is_uploaded, record_id } = await find(id)
    expect([is_uploaded, record_id]).toEqual([true, id])
    const response = await get(path)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'private, max-age=86400, immutable',
    })
    expect(await widthOf(path)).toBe(32)
    expect((await service.app.handle(new Request(`http://localhost${path}`))).status).toBe(401)
  })

  test('a new one has another path, and the old one is 404; DELETE removes it, also twice', async () => {
    const id = await records.create('people')
    await upload(id)
    const before = (await find(id)).path
    await upload(id, OTHER)
    const after = (await find(id)).path
    expect([(await get(before)).status, await widthOf(after)]).toEqual([404, 48])
    for (const _ of ['first', 'second']) expect(await send(member, 'DELETE', 'people', id)).toBe(200)
    expect([await find(id), (await get(after)).status]).toEqual([undefined, 404])
  })

  test.each<[string, Uint8Array, number]>([
    ['an SVG image', SVG, 400],
    ['a text', Buffer.from('a picture'), 400],
    ['half of an image', SMALL.subarray(0, 40), 400],
    ['an empty body', Buffer.alloc(0), 400],
    ['more than a megabyte', Buffer.concat([SMALL, Buffer.alloc(1_000_000)]), 413],
  ])('for %s: refused, and the picture stays', async (_, content, expected) => {
    const id = await records.create('people')
    await upload(id)
    const { path } = await find(id)
    expect(await upload(id, content)).toBe(expected)
    expect((await find(id)).path).toBe(path)
  })

  test('404 for what does not exist or is of another object, 403 for an object that the member may only read', async () => {
    const id = await records.create('companies')
    for (const [object, record] of [
      ['people', id],
      ['people', ABSENT],
      ['people', 'x'],
      ['nothing', id],
    ] as const)
      expect([object, record, await upload(record, SMALL, member, object)]).toEqual([object, record, 404])
    expect(await upload(id, SMALL, member, 'companies')).toBe(200)
    const { path } = await find(id, 'companies')
    for (const wrong of [path.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')), `${path}0`])
      expect([wrong, (await get(wrong)).status]).toEqual([wrong, 404])
    expect((await get(path.replace(id, await records.create('companies')))).status).toBe(404)
    const objectId = (await service.request('GET', '/v2/objects/companies')).body.data.id.object_id
    const setAccess = (members: string) => admin.ask('PUT', `${objectPath(objectId)}/access`, { members, teams: [] })
    await setAccess('read-only')
    expect([(await find(id, 'companies')).path, (await get(path)).status]).toEqual([path, 200])
    expect(await upload(id, SMALL, member, 'companies')).toBe(403)
    expect(await send(member, 'DELETE', 'companies', id)).toBe(403)
    await setAccess('hidden')
    expect([(await list('companies', id)).status, (await get(path)).status]).toEqual([404, 404])
    await setAccess('read-write')
  })

  test('400 for ids that are none, and for more than a hundred', async () => {
    for (const ids of ['', 'x', `${ABSENT},`, Array.from({ length: 101 }, () => ABSENT).join(',')])
      expect([ids, (await list('people', ids)).status]).toEqual([ids, 400])
    expect((await list('people', [ABSENT, ABSENT].join(','))).body.data).toEqual([])
  })

  test('goes to the trash with its record, and its bytes when that is deleted for good', async () => {
    const blobs = await referencedBlobs()
    const id = await records.create('people')
    await upload(id, await imageOf(20))
    const { path } = await find(id)
    await records.remove('people', id)
    expect([await find(id), (await get(path)).status, await referencedBlobs()]).toEqual([undefined, 404, blobs + 1])
    await records.restore('people', id)
    expect(await widthOf((await find(id)).path)).toBe(20)
    await records.remove('people', id)
    expect((await records.purge('people', id)).status).toBe(200)
    expect(await referencedBlobs()).toBe(blobs)
  })

  test('a merged record has that of the primary, or of the secondary; a restored original has its own again', async () => {
    const create = async (picture?: Uint8Array) => {
      const id = await records.create('people')
      if (picture !== undefined) await upload(id, picture)
      return id
    }
    const merge = async (primary_record_id: string, secondary_record_id: string): Promise<string> => {
      const data = { primary_record_id, secondary_record_id }
      return (await service.request('POST', '/v2/objects/people/records/merge', { data })).body.data.new_record_id
    }
    const [first, second] = [await create(SMALL), await create(OTHER)]
    const merged = await merge(first, second)
    expect(await widthOf((await find(merged)).path)).toBe(32)
    await service.request('POST', `/v2/objects/people/records/${second}/restore`)
    await service.request('POST', `/v2/objects/people/records/${first}/restore`)
    expect(await widthOf((await find(second)).path)).toBe(48)
    expect(await widthOf((await find(first)).path)).toBe(32)
    const [without, other] = [await create(), await create(OTHER)]
    expect(await widthOf((await find(await merge(without, other))).path)).toBe(48)
  })
})

describe('a picture at a URL', () => {
  test('is fetched once, in the background; then it is shown, also while it is fetched again', async () => {
    await objectWithUrls('ship')
    const id = await records.create('ship', { photo: `${ORIGIN}/a.png` })
    expect(await find(id, 'ship')).toEqual({ record_id: id, path: null, is_uploaded: false })
    await find(id, 'ship')
    await fetchDue()
    const { path } = await find(id, 'ship')
    expect([await widthOf(path), requests]).toEqual([32, 1])
    await fetchDue()
    await expire(id)
    answer = () => new Response(null, { status: 500 })
    expect((await find(id, 'ship')).path).toBe(path)
    await fetchDue()
    expect([(await find(id, 'ship')).path, requests]).toEqual([path, 2])
    await expire(id)
    answer = () => sent(OTHER)
    await find(id, 'ship')
    await fetchDue()
    expect(await widthOf((await find(id, 'ship')).path)).toBe(48)
  })

  test('a failed fetch is not repeated for a day; another URL is fetched at once', async () => {
    answer = () => new Response('none')
    const id = await records.create('ship', { photo: `${ORIGIN}/a.png` })
    await find(id, 'ship')
    await fetchDue()
    expect([await find(id, 'ship'), requests]).toEqual([undefined, 1])
    await fetchDue()
    expect(requests).toBe(1)
    answer = () => sent(SMALL)
    await records.update('ship', id, { photo: `${ORIGIN}/b.png` })
    expect((await find(id, 'ship')).path).toBeNull()
    await fetchDue()
    const { path } = await find(id, 'ship')
    expect(await widthOf(path)).toBe(32)
    await records.update('ship', id, { photo: 'no URL' })
    expect([await find(id, 'ship'), (await get(path)).status]).toEqual([undefined, 404])
  })

  test('an uploaded picture replaces it, also one that is being fetched', async () => {
    const id = await records.create('ship', { photo: `${ORIGIN}/a.png` })
    await find(id, 'ship')
    const begun = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    answer = async () => {
      begun.resolve()
      await released.promise
      return sent(SMALL)
    }
    const fetched = fetchDue()
    await begun.promise
    expect(await upload(id, OTHER, member, 'ship')).toBe(200)
    released.resolve()
    await fetched
    expect(await find(id, 'ship')).toMatchObject({ is_uploaded: true })
    expect(await widthOf((await find(id, 'ship')).path)).toBe(48)
    await send(member, 'DELETE', 'ship', id)
    expect((await find(id, 'ship')).path).toBeNull()
  })

  test('is not fetched for a deleted record, nor without the setting, and is not shown then', async () => {
    const [shown, deleted] = [
      await records.create('ship', { photo: `${ORIGIN}/a.png` }),
      await records.create('ship', { photo: `${ORIGIN}/a.png` }),
    ]
    await find(shown, 'ship')
    await fetchDue()
    const { path } = await find(shown, 'ship')
    await find(deleted, 'ship')
    await records.purge('ship', deleted)
    await setSettings({ fetches_pictures: false })
    expect([await find(shown, 'ship'), (await get(path)).status]).toEqual([undefined, 404])
    await fetchDue()
    expect(requests).toBe(1)
    await setSettings({ fetches_pictures: true })
    expect((await find(shown, 'ship')).path).toBe(path)
  })

  test('waits for its turn while two hundred others of the workspace are due', async () => {
    const id = await records.create('ship', { photo: `${ORIGIN}/a.png` })
    await service.db.sql`
      insert into relata.record_pictures (workspace_id, object_id, record_id, sources_hash, expires_at, due_at)
      select workspace_id, id, md5(i::text)::uuid, sha256(''), now(), now()
      from relata.entity_types, generate_series(1, ${MAX_DUE}::int) i
      where workspace_id = ${service.workspaceId} and api_slug = 'ship'`
    expect((await find(id, 'ship')).path).toBeNull()
    // The other records do not exist.
    await fetchDue()
    expect([(await find(id, 'ship')).path, requests]).toEqual([null, 0])
    await fetchDue()
    expect(await widthOf((await find(id, 'ship')).path)).toBe(32)
  })

  test('is deleted when no page showed it for long', async () => {
    const id = await records.create('ship', { photo: `${ORIGIN}/a.png` })
    await find(id, 'ship')
    await fetchDue()
    const [later, last] = [service.appContext.now() + 59 * DAY, service.appContext.now() + 61 * DAY]
    const isStored = async () =>
      (await service.db.sql`select from relata.record_pictures where record_id = ${id}`).length === 1
    await deleteUnusedPictures(service.db, later, 100)
    expect(await isStored()).toBe(true)
    await deleteUnusedPictures(service.db, last, 100)
    expect(await isStored()).toBe(false)
  })
})

test('the logo of a company is fetched from its domain when an admin turns that on', async () => {
  const id = await records.create('companies', { domains: ['example.com'] })
  expect(await find(id, 'companies')).toBeUndefined()
  expect((await member.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, {})).status).toBe(403)
  await setSettings({ fetches_company_logos: true })
  answer = () => new Response('<link rel="icon" href="/icon.png">')
  expect((await find(id, 'companies')).path).toBeNull()
  await fetchDue()
  expect([await find(id, 'companies'), requests]).toEqual([undefined, 3])
  await expire(id)
  answer = () => sent(SMALL)
  await find(id, 'companies')
  await fetchDue()
  expect(await widthOf((await find(id, 'companies')).path)).toBe(32)
  await setSettings({ fetches_company_logos: false })
  expect(await find(id, 'companies')).toBeUndefined()
})
