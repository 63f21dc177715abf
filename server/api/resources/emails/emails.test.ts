/** GET /v2/emails, DELETE /v2/emails/{email_id} and POST /v2/sequences/unsubscribed_emails. See docs/reference/emails.md. */

import { beforeAll, describe, expect, test } from 'bun:test'
import { addEmails, emailFrom } from '#testing/emails'
import { signedIn } from '#testing/people'
import { testService } from '#testing/service'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let ada: string
let grace: string
let analytical: string
beforeAll(async () => {
  analytical = await create('companies', { name: 'Analytical', domains: ['analytical.dev'] })
  ada = await create('people', { email_addresses: ['ada@relata.dev', 'ada@home.net'], company: analytical })
  await addEmails(service, [
    emailFrom('ada@relata.dev', '2026-01-01T10:00:00Z', ['admin-1@example.com'], 'First'),
    emailFrom('ada@home.net', '2026-01-02T10:00:00Z', ['grace@navy.mil', 'ada@home.net'], 'Second'),
    emailFrom('info@mail.analytical.dev', '2026-01-03T10:00:00Z', [], 'Third'),
    emailFrom('root@localhost', '2026-01-04T10:00:00Z', ['late@later.org'], 'Fourth'),
  ])
  grace = await create('people', { email_addresses: ['grace@navy.mil'] })
})

async function create(object: string, values: Record<string, unknown>): Promise<string> {
  const { body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })
  return body.data.id.record_id
}

async function list(query: Record<string, string | number> = {}) {
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return service.request('GET', `/v2/emails?${parameters}`)
}

/** The subjects of a list, newest first. */
async function subjects(query: Record<string, string | number> = {}): Promise<string[]> {
  const { body } = await list(query)
  return body.data.map(({ subject_line }: { subject_line: string }) => subject_line)
}

describe('GET /v2/emails', () => {
  test('200 with the metadata, and with the people and companies of the addresses', async () => {
    const { status, body } = await list()
    expect([status, body.pagination]).toEqual([200, { next_cursor: null }])
    const [fourth, third, second] = body.data
    const record = (object_slug: string, record_id: string) => ({ object_slug, record_id })
    expect(second).toMatchObject({
      id: { workspace_id: service.workspaceId },
      sent_at: '2026-01-02T10:00:00.000000000Z',
      direction: 'inbound',
      participants: [
        { role: 'from', email_address: 'ada@home.net', email_domain: 'home.net', name: null },
        { role: 'to', email_address: 'grace@navy.mil' },
        { role: 'to', email_address: 'ada@home.net' },
      ],
      linked_records: [record('people', ada), record('people', grace), record('companies', analytical)],
    })
    const one = await service.request('GET', `/v2/emails/${second.id.email_id}`)
    expect(one.body.data).toEqual({ ...second, text: null, is_text_cut: false, attachments: [] })
    expect(third.linked_records).toMatchObject([record('companies', analytical)])
    expect(fourth.linked_records).toEqual([])
  })

  const CASES: readonly (readonly [string, () => Record<string, string>, string[]])[] = [
    ['a person', () => ({ linked_object: 'people', linked_record_ids: ada }), ['Second', 'First']],
    ['two people', () => ({ linked_object: 'person', linked_record_ids: `${grace}, ${ada}` }), ['Second', 'First']],
    [
      'a company: its domains and its people',
      () => ({ linked_object: 'companies', linked_record_ids: analytical }),
      ['Third', 'Second', 'First'],
    ],
    ['an unknown record', () => ({ linked_object: 'people', linked_record_ids: analytical }), []],
    ['a record of another object', () => ({ linked_object: 'deals', linked_record_ids: ada }), []],
    ['participants', () => ({ participants: 'GRACE@navy.mil,late@later.org' }), ['Fourth', 'Second']],
    ['an empty list of participants', () => ({ participants: '' }), ['Fourth', 'Third', 'Second', 'First']],
    ['a participant of the workspace', () => ({ participants: 'ADMIN-1@example.com, anybody@example.com' }), []],
    ['the domain of the workspace', () => ({ domain: 'Example.com' }), []],
    ['the workspace or another domain', () => ({ domain: 'example.com', participants: 'grace@navy.mil' }), ['Second']],
    ['a domain', () => ({ domain: 'Analytical.dev' }), ['Third']],
    ['a host', () => ({ domain: 'mail.analytical.dev' }), ['Third']],
    ['any of several filters', () => ({ domain: 'localhost', participants: 'ada@relata.dev' }), ['Fourth', 'First']],
    [
      'times, both exclusive',
      () => ({ sent_after: '2026-01-01T10:00:00Z', sent_before: '2026-01-04T10:00:00Z' }),
      ['Third', 'Second'],
    ],
    [
      'a filter and a time',
      () => ({ linked_object: 'people', linked_record_ids: ada, sent_before: '2026-01-02' }),
      ['First'],
    ],
  ]
  test.each(CASES)('200 for %s', async (_name, query, expected) => {
    expect(await subjects(query())).toEqual(expected)
  })

  test('pages have neither gaps nor repeats', async () => {
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const { body } = await list({
        limit: 1,
        domain: 'analytical.dev',
        participants: 'ada@home.net',
        ...(cursor ? { cursor } : {}),
      })
      seen.push(...body.data.map(({ subject_line }: { subject_line: string }) => subject_line))
      cursor = body.pagination.next_cursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(['Third', 'Second'])
  })

  test('200 without emails of which all outside participants are automated, in pages that may be empty', async () => {
    const filter = { domain: 'bots.dev', limit: 2 }
    await addEmails(service, [
      emailFrom('no-reply@bots.dev', '2026-03-01T10:00:00Z', ['admin-1@example.com'], 'Automated'),
      emailFrom('notifications+1@bots.dev', '2026-03-02T10:00:00Z', ['colleague@example.com'], 'Colleague'),
      emailFrom('alertson@bots.dev', '2026-03-03T10:00:00Z', ['admin-1@example.com'], 'Person'),
    ])
    const [all, people] = [filter, { ...filter, exclude_automated_participants: 'true' }]
    expect(await subjects(all)).toEqual(['Person', 'Colleague'])
    const { body } = await list(people)
    expect(body.data.map(({ subject_line }: { subject_line: string }) => subject_line)).toEqual(['Person'])
    const next = await list({ ...people, cursor: body.pagination.next_cursor })
    expect(next.body).toEqual({ data: [], pagination: { next_cursor: null } })
    expect(await subjects({ ...filter, exclude_automated_participants: 'false' })).toEqual(['Person', 'Colleague'])
  })

  test('with RELATA_STRICT_CONTRACT, 400 without a filter, and 403 without the scopes of records', async () => {
    const strict = await testService({ strictContract: true })
    const read = (query: string, key = strict.key) => strict.request('GET', `/v2/emails${query}`, undefined, { key })
    for (const query of ['', '?participants=', '?sent_after=2026-01-01', '?domain=%20']) {
      const { status, body } = await read(query)
      expect([query, status, body.code]).toEqual([query, 400, 'validation_type'])
    }
    expect((await read('?domain=navy.mil')).status).toBe(200)
    const { status, body } = await read('?domain=navy.mil', await strict.keyWith(['email:read', 'record_permission:read']))
    expect([status, body.code]).toEqual([403, 'unauthorized'])
    await strict.close()
  }) // prettier-ignore

  const REFUSED: readonly (readonly [string, Record<string, string>])[] = [
    ['a limit of 51', { limit: '51' }],
    ['an object without records', { linked_object: 'people' }],
    ['records without an object', { linked_record_ids: '11111111-1111-4111-8111-111111111111' }],
    ['an id that is no UUID', { linked_object: 'people', linked_record_ids: 'ada' }],
    [
      '11 records',
      { linked_object: 'people', linked_record_ids: Array.from({ length: 11 }, () => crypto.randomUUID()).join(',') },
    ],
    ['11 participants', { participants: Array.from({ length: 11 }, (_, index) => `a${index}@b.com`).join(',') }],
    ['a participant that is no address', { participants: '\u202e<script>' }],
    ['a time that is none', { sent_after: 'yesterday' }],
    ['a cursor of another list', { cursor: 'W10.abc' }],
    ['a word that is no boolean', { exclude_automated_participants: 'x' }],
  ]
  test.each(REFUSED)('400 for %s', async (_name, query) => {
    const { status, body } = await list(query)
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })

  test('400 for an unknown object', async () => {
    const { body } = await list({ linked_object: 'nothing', linked_record_ids: ada })
    expect(body).toMatchObject({ status_code: 400, code: 'value_not_found' })
  })

  test('another workspace has no emails', async () => {
    const { key } = await service.anotherWorkspace()
    expect((await service.request('GET', '/v2/emails?domain=relata.dev', undefined, { key })).body.data).toEqual([])
  })

  test('a record keeps its emails after a merge', async () => {
    const other = await create('people', { email_addresses: ['ada@third.org'] })
    const merged = await service.request('POST', '/v2/objects/people/records/merge', {
      data: { primary_record_id: grace, secondary_record_id: other },
    })
    const linked_record_ids = merged.body.data.new_record_id
    expect(await subjects({ linked_object: 'people', linked_record_ids })).toEqual(['Second'])
    expect(await subjects({ linked_object: 'people', linked_record_ids: grace })).toEqual([])
  })
})

describe('POST /v2/sequences/unsubscribed_emails', () => {
  const add = (email_addresses: unknown) =>
    service.request('POST', '/v2/sequences/unsubscribed_emails', { data: { email_addresses } })

  test('200 with each address once; a repeated one keeps its time', async () => {
    const first = await add([' Ada@Relata.dev ', 'ada@relata.dev', 'bob@relata.dev'])
    expect(first.body.data).toMatchObject([{ email_address: 'ada@relata.dev' }, { email_address: 'bob@relata.dev' }])
    const again = await add(['bob@relata.dev', 'eve@relata.dev'])
    expect(again.body.data[0]).toEqual(first.body.data[1])
  })

  test('200 for two writers of the same addresses at once', async () => {
    const addresses = Array.from({ length: 1000 }, (_, index) => `p${index}@relata.dev`)
    const [one, other] = await Promise.all([add(addresses), add(addresses.toReversed())])
    expect(one.body.data).toEqual(other.body.data.toReversed())
  })

  test.each([
    ['a text that is no address', ['ada@relata.dev', 'nobody']],
    ['a number', [1]],
    ['none', []],
    ['a text instead of a list', 'ada@relata.dev'],
    ['too many', Array.from({ length: 1001 }, (_, index) => `p${index}@relata.dev`)],
  ])('400 for %s', async (_name, addresses) => {
    const { status, body } = await add(addresses)
    expect([status, body.code]).toEqual([400, 'validation_type'])
  })
})

test.each([
  [{ data: { email_addresses: ['ada@relata.dev'], reason: 'x' } }],
  [{ data: { email_addresses: ['ada@relata.dev'] }, more: 1 }],
])('400 for unknown members: %j', async (body) => {
  const answer = await service.request('POST', '/v2/sequences/unsubscribed_emails', body)
  expect([answer.status, answer.body.code]).toEqual([400, 'validation_type'])
})

describe('DELETE /v2/emails/{email_id}', () => {
  const remove = (id: string, options = {}) => service.request('DELETE', `/v2/emails/${id}`, undefined, options)
  /** Adds an email and returns its id. */
  async function add(subject: string): Promise<string> {
    await addEmails(service, [emailFrom('deleted@gone.dev', '2027-01-01T10:00:00Z', ['kept@gone.dev'], subject)])
    const { body } = await list({ domain: 'gone.dev' })
    return body.data[0].id.email_id
  }
  const rows = async () => {
    const { sql } = service.db
    const [emails, addresses, domains] = [
      await sql`select 1 from relata.emails where participants::text like '%gone.dev%'`,
      await sql`select 1 from relata.email_addresses where email_address like '%gone.dev'`,
      await sql`select 1 from relata.email_domains where email_domain = 'gone.dev'`,
    ]
    return [emails.length, addresses.length, domains.length]
  }

  test('200 deletes its rows, and interaction attributes follow', async () => {
    const person = await create('people', { email_addresses: ['kept@gone.dev'] })
    const refreshes = () => service.db.sql`select 1 from relata.interaction_refreshes where record_id = ${person}`
    const id = await add('To delete')
    expect(await rows()).toEqual([1, 2, 1])
    const dry = await remove(`${id}?dry_run=true`)
    expect([dry.status, await rows()]).toEqual([200, [1, 2, 1]])
    const headers = { 'Idempotency-Key': 'delete-email' }
    for (const _ of [1, 2]) expect(await remove(id, { headers })).toMatchObject({ status: 200, body: {} })
    expect([await rows(), (await refreshes()).length]).toEqual([[0, 0, 0], 1])
    expect((await remove(id)).status).toBe(404)
  })

  test('403 for members and their keys, and without the scope; 404 from another workspace; 400 for another id', async () => {
    const id = await add('To keep')
    const other = await service.anotherWorkspace()
    expect((await remove(id, { key: other.key })).status).toBe(404)
    expect((await remove(id, { key: await service.keyWith(['email:read']) })).status).toBe(403)
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    expect((await member.ask('DELETE', `/console/v2/emails/${id}`)).status).toBe(403)
    const memberId = member.memberIds[service.workspaceId] ?? ''
    const refused = await remove(id, { key: await service.keyWith(['email:read-write'], memberId) })
    expect([refused.status, refused.body.code]).toEqual([403, 'unauthorized'])
    expect((await remove('nothing')).status).toBe(400)
    const admin = await signedIn(service)
    expect((await admin.ask('DELETE', `/console/v2/emails/${id}`)).status).toBe(200)
  })
})
