/** See docs/decisions/trash-and-merges.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { deleteOldDismissals } from '#api/console/duplicates/routes'

const ABSENT = '11111111-1111-4111-8111-111111111111'

const service = useTestService()
const bob = usePerson(service, 'member')
let path: string
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}/dismissed-duplicates`
})

async function create(object = 'people'): Promise<string> {
  const { body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values: {} } })
  return body.data.id.record_id
}

const dismiss = (record_id: string, other_record_id: string, object = 'people') =>
  bob.ask('POST', path, { object, record_id, other_record_id })
const read = (record_id: string, object = 'people') =>
  bob.ask('GET', `${path}?${new URLSearchParams({ object, record_id })}`)
const withdraw = (record_id: string, other_record_id: string) =>
  bob.ask('DELETE', `${path}?${new URLSearchParams({ object: 'people', record_id, other_record_id })}`)

describe('…/dismissed-duplicates', () => {
  test('200: a pair is dismissed for both records, once, until it is withdrawn', async () => {
    const [one, two, three] = [await create(), await create(), await create()]
    expect((await dismiss(one, two)).status).toBe(200)
    const again = await Promise.all([dismiss(two.toUpperCase(), one), dismiss(one, two), dismiss(one, three)])
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await read(one)).body.data.toSorted()).toEqual([two, three].toSorted())
    expect((await read(two.toUpperCase())).body.data).toEqual([one])
    expect((await withdraw(two, one)).status).toBe(200)
    expect((await withdraw(two, one)).status).toBe(200)
    expect((await read(two)).body.data).toEqual([])
    expect((await read(one)).body.data).toEqual([three])
  })

  test('400 for one record, for unknown records and for records of another object; 404 for what is read', async () => {
    const [one, company] = [await create(), await create('companies')]
    expect((await dismiss(one, one)).status).toBe(400)
    expect((await dismiss(one, ABSENT)).status).toBe(400)
    expect((await dismiss(one, company)).status).toBe(400)
    expect((await dismiss(one, 'x')).status).toBe(400)
    expect((await dismiss(one, ABSENT, 'nothing')).status).toBe(404)
    expect((await read(ABSENT)).status).toBe(404)
    expect((await read(company)).status).toBe(404)
    expect((await read('x')).status).toBe(400)
  })

  test('404 for a hidden object; an object to view is read, and 403 for changes', async () => {
    const admin = await signedIn(service)
    const [one, two] = [await create(), await create()]
    const set = (members: string) =>
      admin.ask('PUT', `/console/api/workspaces/${service.workspaceId}/objects/people/access`, { members, teams: [] })
    try {
      await set('hidden')
      const hidden = [await read(one), await dismiss(one, two), await withdraw(one, two)]
      expect(hidden.map(({ status }) => status)).toEqual([404, 404, 404])
      await set('read-only')
      const viewed = [await read(one), await dismiss(one, two), await withdraw(one, two)]
      expect(viewed.map(({ status }) => status)).toEqual([200, 403, 403])
    } finally {
      await set('read-write')
    }
  })

  test('a dismissal is deleted after a year', async () => {
    const [one, two] = [await create(), await create()]
    await dismiss(one, two)
    const year = 365 * 86_400_000_000
    await deleteOldDismissals(service.db, service.appContext.now(), 10)
    expect((await read(one)).body.data).toEqual([two])
    expect(await deleteOldDismissals(service.db, service.appContext.now() + year + 1, 1)).toBe(1)
  })
})
