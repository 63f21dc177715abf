/** Verified domains, and the log of SCIM requests. See docs/reference/scim.md (Verified domains). */

import { beforeAll, describe, expect, test } from 'bun:test'
import { captureLog } from '#testing/captured-log'
import { scimClient } from '#testing/scim'
import { usePerson, useTestService } from '#testing/use-service'

const service = useTestService({}, () => ({
  resolveTxt: async (name) => {
    const found = records.get(name) ?? Object.assign(new Error('queryTxt ENOTFOUND'), { code: 'ENOTFOUND' })
    if (found instanceof Error) throw found
    return found
  },
}))
const admin = usePerson(service)
let root: string
/** What the resolver returns for each name. */
const records = new Map<string, string[][] | Error>()
beforeAll(async () => {
  root = `/console/api/workspaces/${service.workspaceId}`
})

const add = (domain: string) => admin.ask('POST', `${root}/domains`, { domain })
const verify = (id: string) => admin.ask('POST', `${root}/domains/${id}/verify`)

describe('…/domains', () => {
  test('200 for a domain that is verified by its TXT record and then removed', async () => {
    const { status, body } = await add(' Büro.Example ')
    const { id, domain, record, verified_at } = body.data
    expect([status, domain, verified_at]).toEqual([200, 'xn--bro-hoa.example', null])
    expect(record).toEqual({
      name: '_relata-domain.xn--bro-hoa.example',
      value: expect.stringMatching(/^relata-domain=[\w-]{43}$/),
    })
    expect((await add('BÜRO.example')).body.data).toEqual(body.data)
    const other = { ...(await verify(id)).body }
    expect([other.status_code, other.code]).toEqual([409, 'domain_not_verified'])
    records.set(record.name, [['v=spf1'], ['relata-domain=other']])
    expect((await verify(id)).status).toBe(409)
    records.set(record.name, [['v=spf1'], [record.value.slice(0, 20), record.value.slice(20)]])
    expect((await verify(id)).body.data.verified_at).toEndWith('Z')
    records.clear()
    expect((await verify(id)).status).toBe(200)
    const { body: listed } = await admin.ask('GET', `${root}/domains`)
    expect(listed.data.map(({ domain }: { domain: string }) => domain)).toEqual(['xn--bro-hoa.example'])
    expect((await admin.ask('DELETE', `${root}/domains/${id}`)).status).toBe(200)
    expect((await admin.ask('DELETE', `${root}/domains/${id}`)).status).toBe(404)
    expect((await verify('x')).status).toBe(404)
  })

  test('409 while the resolver fails, which is logged', async () => {
    const { id, record } = (await add('broken.example')).body.data
    records.set(record.name, new Error('queryTxt ESERVFAIL'))
    const lines: string[] = []
    expect((await captureLog(() => verify(id), lines)).status).toBe(409)
    expect(lines.join()).toContain('ESERVFAIL')
  })

  test('400 for what is no domain', async () => {
    for (const domain of [
      '',
      'example',
      'a@b.example',
      'http://b.example',
      '10.0.0.1',
      'a..example',
      '-a.example',
      'x'.repeat(254),
      'a b.example',
      'a\0.example',
    ])
      expect([domain, (await add(domain)).status]).toEqual([domain, 400])
  })
})

describe('…/scim', () => {
  test('200 with the last requests, newest first and without bodies', async () => {
    const scim = scimClient(service)
    await scim.create({ userName: 'no address', password: 'a-secret-password' })
    await scim.ask('GET', '/Users?filter=userName eq "x@y.z"', undefined, {
      headers: { 'User-Agent': 'Okta SCIM Client 1.0.0' },
    })
    const { body } = await admin.ask('GET', `${root}/scim`)
    expect(body.data.base_url).toBe('http://localhost:8080/scim/v2')
    const [second, first] = body.data.requests
    expect(second).toMatchObject({
      method: 'GET',
      path: '/scim/v2/Users?filter=userName%20eq%20%22x@y.z%22',
      status: 200,
      detail: null,
      user_agent: 'Okta SCIM Client 1.0.0',
    })
    expect(first).toMatchObject({ method: 'POST', status: 400, detail: expect.stringContaining('email address') })
    expect(JSON.stringify(body)).not.toContain('a-secret-password')
    expect(JSON.stringify(body)).not.toContain(service.key)
  })

  test('200 with at most 200 requests', async () => {
    const scim = scimClient(service)
    for (let n = 0; n < 21; n++) await Promise.all(Array.from({ length: 10 }, () => scim.ask('GET', '/Schemas')))
    const { body } = await admin.ask('GET', `${root}/scim`)
    expect(body.data.requests).toHaveLength(200)
    const rows = await service.db.sql`select 1 from relata.scim_requests`
    expect(rows.length).toBeLessThan(215)
  })
})
