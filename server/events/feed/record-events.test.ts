/** The events of each write of records, and their actors. See docs/reference/webhooks-and-events.md (What causes what). */

import { beforeEach, describe, expect, test } from 'bun:test'
import { eventLines } from '#testing/events'
import { useTestService } from '#testing/use-service'

const service = useTestService()
const names: Record<string, string> = {}
beforeEach(async () => {
  await service.events()
})

let made = 0
const path = (object: string, id = '') => `/v2/objects/${object}/records${id && `/${id}`}`

async function record(object: string, name: string, values: unknown): Promise<string> {
  const { status, body } = await service.request('POST', path(object), { data: { values } })
  expect([status, body.message]).toEqual([200, undefined])
  names[body.data.id.record_id] = name
  return body.data.id.record_id
}
const company = (name: string, values: object = {}) =>
  record('companies', name, { domains: [`c${++made}.example.com`], ...values })
const person = (name: string, values: object = {}) =>
  record('people', name, { email_addresses: [`p${++made}@mail.example.com`], ...values })

async function write(method: string, object: string, id: string, values: unknown): Promise<void> {
  const { status, body } = await service.request(method, path(object, id), { data: { values } })
  expect([status, body.message]).toEqual([200, undefined])
}
const toldNow = () => eventLines(service, names)

describe('creating and updating', () => {
  test('one event for a new record, and none for its values', async () => {
    await person('ada', { job_title: 'Analyst', description: 'First' })
    expect(await toldNow()).toEqual(['record.created ada by api-token'])
  })

  test('one event for each attribute that changed', async () => {
    const ada = await person('ada', { job_title: 'Analyst', description: 'First' })
    await toldNow()
    await write('PATCH', 'people', ada, { job_title: 'Head', description: 'First', phone_numbers: ['+14155552671'] })
    expect(await toldNow()).toEqual([
      'record.updated ada.job_title by api-token',
      'record.updated ada.phone_numbers by api-token',
    ])
    await write('PUT', 'people', ada, { phone_numbers: [], job_title: null })
    expect(await toldNow()).toEqual([
      'record.updated ada.phone_numbers by api-token',
      'record.updated ada.job_title by api-token',
    ])
  })

  test('no event for a write that changes nothing, and for one that is refused', async () => {
    const ada = await person('ada', { job_title: 'Analyst' })
    await toldNow()
    await write('PATCH', 'people', ada, { job_title: 'Analyst' })
    await write('PUT', 'people', ada, {})
    const refused = { data: { values: { job_title: 'Head', company: crypto.randomUUID() } } }
    expect((await service.request('PATCH', path('people', ada), refused)).status).toBe(400)
    const taken = { data: { values: { email_addresses: [`p${made}@mail.example.com`] } } }
    expect((await service.request('POST', path('people'), taken)).status).toBe(400)
    expect(await toldNow()).toEqual([])
  })

  test('an assert causes an event of a creation or of an update', async () => {
    const assert = (values: object) =>
      service.request('PUT', `${path('people')}?matching_attribute=email_addresses`, { data: { values } })
    const email_addresses = ['asserted@mail.example.com']
    const { body } = await assert({ email_addresses, job_title: 'Analyst' })
    names[body.data.id.record_id] = 'asserted'
    expect(await toldNow()).toEqual(['record.created asserted by api-token'])
    await assert({ email_addresses, job_title: 'Head' })
    expect(await toldNow()).toEqual(['record.updated asserted.job_title by api-token'])
  })

  test('an idempotent request causes its events once', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const data = { values: { email_addresses: ['keyed@mail.example.com'] } }
    const first = await service.request('POST', path('people'), { data }, { headers })
    await service.request('POST', path('people'), { data }, { headers })
    names[first.body.data.id.record_id] = 'keyed'
    expect(await toldNow()).toEqual(['record.created keyed by api-token'])
  })

  test('writing the history causes no event', async () => {
    const ada = await person('ada', { job_title: 'Analyst' })
    await toldNow()
    const values = [{ active_from: '2020-01-01T00:00:00Z', active_until: null, value: 'Founder' }]
    const { status } = await service.request('PUT', `${path('people', ada)}/attributes/job_title/values`, {
      data: { values, replace_history: true },
    })
    expect(status).toBe(200)
    expect(await toldNow()).toEqual([])
  })
})

describe('relationships', () => {
  test('from the side that stores the reference: an event of the system for the other side', async () => {
    const [acme, initech] = [await company('acme'), await company('initech')]
    await toldNow()
    const ada = await person('ada', { company: acme })
    expect(await toldNow()).toEqual(['record.created ada by api-token', 'record.updated acme.team by system'])
    await write('PATCH', 'people', ada, { company: initech })
    expect(await toldNow()).toEqual([
      'record.updated ada.company by api-token',
      'record.updated acme.team by system',
      'record.updated initech.team by system',
    ])
  })

  test('from the derived side: events for each record that is added or removed, and for its earlier partner', async () => {
    const [acme, initech] = [await company('acme'), await company('initech')]
    const ada = await person('ada', { company: acme })
    const bob = await person('bob', { company: acme })
    const eve = await person('eve', { company: initech })
    await toldNow()
    await write('PUT', 'companies', acme, { team: [ada, eve] })
    expect(await toldNow()).toEqual([
      'record.updated acme.team by api-token',
      'record.updated bob.company by system',
      'record.updated eve.company by system',
      'record.updated initech.team by system',
    ])
    expect(bob).not.toBe(eve)
    const hooli = await company('hooli', { team: [ada] })
    expect(hooli).toBeString()
    expect(await toldNow()).toEqual([
      'record.created hooli by api-token',
      'record.updated ada.company by system',
      'record.updated acme.team by system',
    ])
  })
})

describe('deleting and merging', () => {
  test('deleting a record causes events for the record, its entries, and the other sides of its relationships', async () => {
    const acme = await company('acme')
    const ada = await person('ada', { company: acme })
    const { body } = await service.request('POST', '/v2/lists', {
      data: {
        name: 'Hires',
        api_slug: 'hires',
        parent_object: 'people',
        workspace_access: 'full-access',
        workspace_member_access: [],
      },
    })
    const entry = { parent_object: 'people', parent_record_id: ada, entry_values: {} }
    const added = await service.request('POST', `/v2/lists/${body.data.api_slug}/entries`, { data: entry })
    names[added.body.data.id.entry_id] = 'entry'
    await toldNow()
    await service.request('DELETE', path('people', ada))
    expect(await toldNow()).toEqual([
      'record.deleted ada by api-token',
      'list-entry.deleted entry of ada by api-token',
      'record.updated acme.team by system',
    ])
    const bob = await person('bob', { company: acme })
    await toldNow()
    await service.request('DELETE', path('companies', acme))
    expect(await toldNow()).toEqual(['record.deleted acme by api-token', 'record.updated bob.company by system'])
    expect(bob).toBeString()
  })

  test('the events of a merge name the new record and each original', async () => {
    const [acme, initech] = [await company('acme'), await company('initech')]
    const ada = await person('ada', { company: acme })
    const double = await person('double', { company: initech })
    await toldNow()
    const { body } = await service.request('POST', '/v2/objects/people/records/merge', {
      data: { primary_record_id: ada, secondary_record_id: double },
    })
    names[body.data?.new_record_id] = 'merged'
    expect(await toldNow()).toEqual([
      'record.merged merged of ada by api-token',
      'record.merged merged of double by api-token',
      'record.updated initech.team by system',
    ])
  })
})
