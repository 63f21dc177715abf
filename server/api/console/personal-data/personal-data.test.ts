/** See docs/privacy.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { usePerson, useTestService } from '#testing/use-service'
import { trashClient } from '#testing/trash'
import { listInput } from '#testing/lists'

const DAY = 86_400_000_000
/** The last backup with the person is removed by the first one after thirty days. */
const BACKUPS = { place: '/backups', every: DAY, retention: { count: 7, ageMs: (30 * DAY) / 1000 } }

const ADDRESS = 'zoe@console-person.dev'

const service = useTestService({ backups: BACKUPS })
const admin = usePerson(service)
const member = usePerson(service, 'member')
let path: string
beforeAll(async () => {
  path = `/console/api/workspaces/${service.workspaceId}/personal-data`
})

const post = (what: string, body: object, who = admin) => who.ask('POST', `${path}/${what}`, body)

/** Sends the request of a download and returns the archive as text. Entries are stored without compression. */
async function download(email_address: string) {
  const request = new Request(`http://localhost:8080${path}/export`, {
    method: 'POST',
    headers: { ...admin.headers, 'Content-Type': 'application/json', Origin: 'http://localhost:8080' },
    body: JSON.stringify({ email_address }),
  })
  const response = await service.app.handle(request)
  return { response, text: Buffer.from(await response.arrayBuffer()).toString() }
}

describe('personal data', () => {
  test('403 for members, 400 for other bodies and texts that are no address', async () => {
    for (const what of ['preview', 'export', 'erase']) {
      const body = { email_address: ADDRESS, ...(what === 'erase' && { confirmation: ADDRESS }) }
      expect([what, (await post(what, body, member)).status]).toEqual([what, 403])
      for (const wrong of [{}, { email_address: 1 }, { email_address: '' }, { email_address: 'x'.repeat(400) }])
        expect([
          what,
          (await post(what, { ...body, ...wrong, ...(wrong.email_address === undefined && { email_address: null }) }))
            .status,
        ]).toEqual([what, 400])
      const { status, body: error } = await post(what, {
        email_address: 'nobody',
        ...(what === 'erase' && { confirmation: 'nobody' }),
      })
      expect([status, error.message]).toEqual([400, '"nobody" is not an email address.'])
    }
  })

  test('200 with a preview, an archive, and the erasure, which the address confirms', async () => {
    const id = await trashClient(service).create('people', { name: 'Console, Zoe', email_addresses: [ADDRESS] })
    const { body } = await post('preview', { email_address: ` ${ADDRESS.toUpperCase()}` })
    expect(body.data).toMatchObject({ addresses: [ADDRESS], names: ['Zoe Console'], records: 1 })
    const end = Date.parse(body.data.backups_end_at) * 1000
    expect(Math.round((end - service.appContext.now()) / DAY)).toBe(31)
    const { response, text } = await download(ADDRESS)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(text).toContain('records-people.jsonl')
    expect(text).toContain('"full_name":"Zoe Console"')
    const wrong = await post('erase', { email_address: ADDRESS, confirmation: 'other@console-person.dev' })
    expect([wrong.status, (await trashClient(service).get('people', id)).status]).toEqual([400, 200])
    const erased = await post('erase', { email_address: ADDRESS, confirmation: ADDRESS })
    expect([erased.status, erased.body.data.records]).toEqual([200, 1])
    expect((await trashClient(service).get('people', id)).status).toBe(404)
    const { body: log } = await admin.ask(
      'GET',
      `/console/api/workspaces/${service.workspaceId}/audit-log?action=person`,
    )
    const own = admin.memberIds[service.workspaceId]
    expect(log.data.map(({ action, actor }: { action: string; actor: { id: string } }) => [action, actor.id])).toEqual([
      ['person.erased', own],
      ['person.exported', own],
    ])
  })

  test('409 for a member who is not suspended', async () => {
    const body = { email_address: member.email_address, confirmation: member.email_address }
    expect((await post('erase', body)).body.code).toBe('person_is_member')
    expect((await download(member.email_address)).text).toContain('account.jsonl')
  })

  test('an archive has the entries of private lists, and not what members keep to themselves', async () => {
    const workspace_member_access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
    const access = { workspace_access: null, workspace_member_access }
    const data = listInput({ name: 'Secret', api_slug: 'secret', parent_object: 'people', ...access })
    expect((await service.request('POST', '/v2/lists', { data })).status).toBe(200)
    const address = 'listed@console-person.dev'
    const id = await trashClient(service).create('people', { email_addresses: [address] })
    const of = { parent_object: 'people', parent_record_id: id, entry_values: {} }
    const { body } = await service.request('POST', '/v2/lists/secret/entries', { data: of })
    const job = { filter: { email_addresses: address }, operation: { op: 'delete' } }
    expect((await service.request('POST', '/v2/objects/people/records/bulk', { data: job })).status).toBeLessThan(300)
    const { text } = await download(address)
    expect(text).toContain(body.data.id.entry_id)
    expect(text).not.toContain('jobs.jsonl')
  })
})
