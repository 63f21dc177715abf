/** Records and entries whose values changed, were moved, ended by deletions and merges, and name each other and themselves. */

import type { TestService } from '#testing/service'
import { dataOf } from './data-of'

/** Texts that break careless writers of lines, JSON and SQL. */
export const HOSTILE_TEXTS = [
  'two\nlines\r\nand\ttabs',
  '"quoted" \\ back\\slash {"json": [1]}',
  `'; drop table relata.workspaces; --`,
  '\u2028\u2029\u0001\u001d\u001e\u001f',
  '👩‍👩‍👧 ß ﬁ \u202eright to left',
  'NULL',
  '{}',
  `${'long '.repeat(2000)}`,
]

export interface FilledRecords {
  readonly ada: string
  readonly acme: string
  readonly ships: readonly string[]
  readonly entry: string
}

export async function fillRecords(service: TestService): Promise<FilledRecords> {
  const post = dataOf(service, 'POST')
  const create = async (object: string, values: object): Promise<string> =>
    (await post(`/objects/${object}/records`, { values })).id.record_id
  const acme = await create('companies', { name: 'Acme', domains: ['acme.com', 'acme.org'] })
  const company = [{ target_object: 'companies', target_record_id: acme }]
  const emails = ['ada@acme.com', 'ada@example.org']
  const ada = await create('people', { name: 'Lovelace, Ada', email_addresses: emails, company })
  const twin = await create('people', {
    name: 'Byron, Ada',
    email_addresses: ['byron@example.org'],
    description: 'Twin',
  })
  await fillActivities(service, { ada, acme })
  const ships: string[] = []
  for (const [at, name] of HOSTILE_TEXTS.entries()) {
    ships.push(await create('ships', { name, hull: `H-${at}`, one_text: name, gone: 'archived later' }))
  }
  await changeShips(service, ships, { ada, acme })
  await dataOf(service, 'DELETE')(`/objects/ships/records/${ships.at(-1)}`)
  await post('/objects/people/records/merge', { primary_record_id: ada, secondary_record_id: twin })
  const [merged] = await queryAll(service, '/objects/people/records')
  for (const [parent_object, parent_record_id] of [
    ['people', merged.id.record_id],
    ['companies', acme],
  ])
    await dataOf(service, 'POST')('/lists/guests/entries', { parent_object, parent_record_id, entry_values: {} })
  return { ada: merged.id.record_id, acme, ships: ships.slice(0, -1), entry: await fillEntries(service, ships) }
}

/** A call that was changed and one in the trash, and an activity of the workspace with a relationship. */
async function fillActivities(
  service: TestService,
  { ada, acme }: { readonly ada: string; readonly acme: string },
): Promise<void> {
  const post = dataOf(service, 'POST')
  const [calls, patch] = ['/activities/phone_calls/records', dataOf(service, 'PATCH')]
  const values = { direction: 'Outbound', outcome: 'Connected', note: 'First', people: [ada], companies: [acme] }
  const call = await post(calls, { values })
  await patch(`${calls}/${call.id.record_id}`, { values: { note: 'Second', duration_seconds: 90 } })
  const deleted = await post(calls, { values: { people: [ada] } })
  await dataOf(service, 'DELETE')(`${calls}/${deleted.id.record_id}`)
  const names = { api_slug: 'visits', singular_noun: 'Visit', plural_noun: 'Visits' }
  await post('/activities', { ...names, extends: 'interactions' })
  await post('/activities/visits/records', { values: { people: [ada], note: 'At the office' } })
}

async function changeShips(
  service: TestService,
  ships: readonly string[],
  { ada, acme }: { readonly ada: string; readonly acme: string },
): Promise<void> {
  const [first = '', second = '', third = ''] = ships
  const last = ships.at(-1) ?? ''
  const ship = (target_record_id: string) => ({ target_object: 'ships', target_record_id })
  const person = { target_object: 'people', target_record_id: ada }
  const company = { target_object: 'companies', target_record_id: acme }
  const member = service.member.id
  const set = (id: string, values: object) => dataOf(service, 'PUT')(`/objects/ships/records/${id}`, { values })
  await set(first, {
    one_number: 0.1,
    one_checkbox: true,
    one_currency: 12_345_678_901.1234,
    one_date: '0999-12-31',
    one_timestamp: '2024-02-29T23:59:59.123456789Z',
    one_rating: 4,
    one_select: 'Sloop',
    one_status: 'Scrapped',
    one_domain: 'first.example.com',
    one_email_address: 'One@Example.com',
    one_phone_number: '+14155552671',
    one_location: 'Oslo, Norway',
    one_actor_reference: member,
    one_record_reference: [ship(first)],
    many_select: ['Brig', 'Sloop', 'Old “form”\t'],
    many_domain: ['b-side.com', 'a-side.com'],
    many_email_address: ['b@example.com', 'a@example.com'],
    many_phone_number: ['+4722334455', '+14155552672'],
    many_actor_reference: [member],
    many_record_reference: [ship(first), person, company, ship(last)],
    escorts: [ship(first)],
  })
  await set(second, { escorts: [ship(first)], one_record_reference: [ship(last)], many_select: ['Sloop'] })
  await set(third, { escorts: [ship(second)] })
  await set(first, {
    many_select: ['Old “form”\t', 'Brig'],
    many_domain: ['c-side.com'],
    one_number: 1e21,
    one_status: 'Sunk',
  })
  await set(first, {
    escorted_by: [ship(third), ship(second)],
    one_select: null,
    one_number: -5e-324,
    one_currency: 0.0001,
  })
  await set(second, { many_record_reference: [person], name: 'Renamed' })
}

async function fillEntries(service: TestService, ships: readonly string[]): Promise<string> {
  const add = async (parent_record_id: string, entry_values: object): Promise<string> =>
    (await dataOf(service, 'POST')('/lists/fleet/entries', { parent_object: 'ships', parent_record_id, entry_values }))
      .id.entry_id
  const entry = await add(ships[0] ?? '', { stage: 'First', remark: 'two\nlines' })
  await dataOf(service, 'PATCH')(`/lists/fleet/entries/${entry}`, { entry_values: { stage: 'Last' } })
  await add(ships[0] ?? '', {})
  const removed = await add(ships[1] ?? '', { stage: 'Last' })
  await dataOf(service, 'DELETE')(`/lists/fleet/entries/${removed}`)
  return entry
}

const queryAll = async ({ request }: Pick<TestService, 'request'>, path: string) =>
  (await request('POST', `/v2${path}/query`, {})).body.data
