/** Three things that queries distinguish: two with a value of every type, and one without values. */

import { eachLocationPart } from '#vocabulary/data-model'
import { type Ask, createThing, createThings } from './things'

export interface ThreeThings {
  /** Of the records a, b and c. */
  readonly ids: Readonly<Record<'a' | 'b' | 'c', string>>
  readonly companyId: string
  readonly personId: string
  /** Of the option Green. */
  readonly greenId: string
}

/** Creates the object `things` and its three records. */
export async function createThreeThings(
  request: Ask,
  member: { id: string; email_address: string },
): Promise<ThreeThings> {
  await createThings(request)
  const companyId = await createThing(request, 'companies', { name: 'Acme', domains: ['acme.com'] })
  const personId = await createThing(request, 'people', { name: 'Lovelace, Ada', email_addresses: ['ada@acme.com'] })
  const options = await request('GET', '/v2/objects/things/attributes/color/options')
  const greenId = options.body.data[1].id.option_id
  const a = await createThing(request, 'things', {
    name: 'Alpha 100% of_it \\ "x"',
    code: 'A-1',
    amount: 1.5,
    stars: 2,
    price: 10.25,
    done: true,
    day: '2024-02-29',
    moment: '2024-02-29T12:00:00.123456789Z',
    site: 'https://blog.acme.com/x',
    sites: ['blog.acme.com', 'example.co.uk'],
    mail: 'Ada.L@Mail.Acme.com',
    mails: ['ada@mail.acme.com', 'a@example.co.uk'],
    phone: '+14155550100',
    phones: ['+14155550100', { original_phone_number: '020 7946 0018', country_code: 'GB' }],
    place: place({
      line_1: '1 Main St',
      line_2: 'Flat 2',
      line_3: 'L3',
      line_4: 'L4',
      locality: 'Paris',
      region: 'Texas',
      postcode: '75460',
      country_code: 'US',
    }),
    color: 'Red',
    colors: ['Red', 'Blue'],
    state: 'Todo',
    actor: member.email_address,
    actors: [member.id],
    others: [
      { target_object: 'companies', target_record_id: companyId },
      { target_object: 'people', target_record_id: personId },
    ],
  })
  const b = await createThing(request, 'things', {
    name: 'beta ÄÖ',
    code: 'a-1',
    amount: -2,
    stars: 4.5,
    price: '99999999999999999999.0001',
    done: false,
    day: '2024-03-01',
    moment: '2024-02-29T12:00:00.123456788Z',
    site: 'example.com',
    sites: ['acme.com'],
    mail: 'bob@example.com',
    mails: ['bob@example.com'],
    phone: '+442079460018',
    phones: ['+442079460018'],
    place: place({ locality: 'Paris', region: 'Île-de-France', country_code: 'FR' }),
    color: 'Green',
    colors: ['Green'],
    state: 'Done',
    parent: a,
    others: [{ target_object: 'people', target_record_id: personId }],
  })
  // Nothing but what the service itself writes.
  const c = await createThing(request, 'things', {})
  return { ids: { a, b, c }, companyId, personId, greenId }
}

const place = (members: object) => ({ ...eachLocationPart(null), ...members })

/** The names of the things that a filter finds, one after the other; the status and the code of an error. */
export async function foundThings(request: Ask, { ids }: ThreeThings, filter: unknown): Promise<string> {
  const { status, body } = await request('POST', '/v2/objects/things/records/query', { filter })
  if (status !== 200) return `${status} ${body.code}`
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]))
  return body.data.map((record: { id: { record_id: string } }) => names.get(record.id.record_id)).join('')
}
