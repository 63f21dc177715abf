/** The pictures of members. See docs/reference/access-and-oauth.md (Pictures of members). */

import { describe, expect, test } from 'bun:test'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const OTHER = Buffer.concat([PNG, Buffer.from('more')])
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')

const idOf = ({ memberIds }: Person) => memberIds[service.workspaceId] ?? ''
const pathOf = (whom: Person) => `/console/api/workspaces/${service.workspaceId}/members/${idOf(whom)}/picture`

async function send(by: Person, whom: Person, body: Buffer | undefined, method = 'PUT') {
  const init = { method, headers: { ...by.headers, 'Content-Type': 'image/png' } }
  const sent = body === undefined ? init : { ...init, body: new Uint8Array(body) }
  const response = await service.app.handle(new Request(`http://localhost${pathOf(whom)}`, sent))
  return { status: response.status, body: await response.json() }
}

const get = (path: string) => service.app.handle(new Request(`http://localhost${path}`))
const avatarOf = async (whom: Person): Promise<string | null> =>
  (await service.request('GET', `/v2/workspace_members/${idOf(whom)}`)).body.data.avatar_url

describe('PUT …/members/:workspace_member_id/picture', () => {
  test('200; the API has the URL, which needs no token and can be cached', async () => {
    const { status, body } = await send(member, member, PNG)
    expect(status).toBe(200)
    const { appUrl } = service.appContext.settings
    expect(await avatarOf(member)).toBe(appUrl + body.data.avatar_url)
    const picture = await get(body.data.avatar_url)
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PNG)
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })

  test('a new picture has another URL; the old one is 404 and its bytes are free', async () => {
    const before = (await send(member, member, PNG)).body.data.avatar_url
    const after = (await send(member, member, OTHER)).body.data.avatar_url
    expect([(await get(before)).status, (await get(after)).status]).toEqual([404, 200])
    const blobs = await service.db.sql`select size, references_count from relata.blobs order by size`
    expect(blobs.map((row) => ({ ...row }))).toEqual([
      { size: String(PNG.length), references_count: 0 },
      { size: String(OTHER.length), references_count: 1 },
    ])
  })

  test('DELETE removes it, also twice', async () => {
    const { avatar_url } = (await send(member, member, PNG)).body.data
    for (const _ of ['first', 'second']) {
      const { status, body } = await send(member, member, undefined, 'DELETE')
      expect([status, body.data.avatar_url]).toEqual([200, null])
    }
    expect([(await get(avatar_url)).status, await avatarOf(member)]).toEqual([404, null])
  })

  test('403 for the picture of another member; 200 for an admin', async () => {
    expect((await send(member, admin, PNG)).status).toBe(403)
    expect((await send(member, admin, undefined, 'DELETE')).status).toBe(403)
    expect((await send(admin, member, PNG)).status).toBe(200)
  })

  test.each<[string, Buffer | undefined, number]>([
    ['an SVG image', SVG, 400],
    ['a text', Buffer.from('a picture'), 400],
    ['no body', undefined, 400],
    ['an empty body', Buffer.alloc(0), 400],
    ['more than a megabyte', Buffer.concat([PNG, Buffer.alloc(1_000_000)]), 413],
  ])('for %s: refused, and the picture stays', async (_, content, expected) => {
    const { avatar_url } = (await send(member, member, PNG)).body.data
    expect((await send(member, member, content)).status).toBe(expected)
    expect((await get(avatar_url)).status).toBe(200)
  })

  test('404 for members and pictures that do not exist', async () => {
    const stranger = { ...member, memberIds: { [service.workspaceId]: '11111111-1111-4111-8111-111111111111' } }
    expect((await send(admin, stranger, PNG)).status).toBe(404)
    const { avatar_url } = (await send(member, member, PNG)).body.data
    for (const path of [
      avatar_url.replace(/.$/, (last: string) => (last === '0' ? '1' : '0')),
      avatar_url.replace(service.workspaceId, idOf(admin)),
      avatar_url.replace(idOf(member), idOf(admin)),
      avatar_url.toUpperCase().replace('/PICTURES', '/pictures'),
      '/pictures/a/b/c',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404])
    }
  })
})
