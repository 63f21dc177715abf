/** People of participants, and companies of email domains. See docs/reference/meetings.md (People and companies). */

import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import type { ChangeEventBody } from '#vocabulary/event-types'
import { beforeFirstTransaction } from '#testing/before-transaction'
import { settleContacts, switchContacts } from '#testing/contacts'
import { listClient } from '#testing/lists'
import { meetingClient, participant } from '#testing/meetings'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'
import { readFeeds } from '#crm/feed-worker'
import { runWorker } from '#testing/workers'
import { contactWorker } from './worker'

const SECOND = 1_000_000

const service = useTestService()
const meetings = meetingClient(service)
const records = listClient(service)
let complaints: ReturnType<typeof spyOn<Console, 'error'>>
beforeEach(() => {
  complaints = spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  expect(complaints).not.toHaveBeenCalled()
  complaints.mockRestore()
})

const settle = (processes?: number) => settleContacts(service, processes)

/** Runs the worker. Before its first transaction, another request makes a change. */
async function settleDuring(change: () => Promise<unknown>): Promise<void> {
  const { db, models, now } = service.appContext
  const sql = beforeFirstTransaction(db.sql, change)
  await runWorker(contactWorker, { db: { ...db, sql }, models, now })
}

const values = async (object: string, id: string) =>
  (await service.request('GET', `/v2/objects/${object}/records/${id}`)).body.data.values
const companyOf = async (person: string): Promise<string | undefined> =>
  (await values('people', person)).company[0]?.target_record_id
const domainsOf = async (company: string): Promise<string[]> =>
  (await values('companies', company)).domains.map(({ domain }: { domain: string }) => domain)
const find = async (object: string, filter: object): Promise<string[]> =>
  (await service.request('POST', `/v2/objects/${object}/records/query`, { filter })).body.data.map(
    ({ id }: { id: { record_id: string } }) => id.record_id,
  )
const peopleWith = (address: string) => find('people', { email_addresses: address })
const companiesWith = (domain: string) => find('companies', { domains: domain })
const linksOf = async (meeting: string): Promise<string[]> =>
  (await meetings.get(meeting)).body.data.linked_records.map(({ record_id }: { record_id: string }) => record_id)
const typesOf = (events: readonly ChangeEventBody[]) => events.map(({ event_type, actor }) => [event_type, actor.type])

describe('a person with an email address', () => {
  test('gets the company of its domain, which is created, by the system', async () => {
    const person = await records.record('people', { email_addresses: ['ada@sub.analytical.org'] })
    await settle()
    await service.events()
    const [company = ''] = await companiesWith('analytical.org')
    expect(await companyOf(person)).toBe(company)
    expect(await domainsOf(company)).toEqual(['analytical.org'])
    const { company: [link] } = await values('people', person)
    expect(link.created_by_actor).toEqual({ type: 'system', id: null })
  }) // prettier-ignore

  test('has the normal events, and no endless ones', async () => {
    await settle()
    await service.events()
    await records.record('people', { email_addresses: ['ada@event.org'] })
    await settle()
    expect(typesOf(await service.events())).toEqual([
      ['record.created', 'api-token'],
      ['record.created', 'system'],
      ['record.updated', 'system'],
      ['record.updated', 'system'],
    ])
  })

  test('is matched by its host first, then by its registrable domain', async () => {
    const [root, host] = [
      await records.record('companies', { domains: ['matched.org'] }),
      await records.record('companies', { domains: ['eu.matched.org'] }),
    ]
    const people = await Promise.all(
      ['a@eu.matched.org', 'b@us.matched.org', 'c@matched.org'].map((address) =>
        records.record('people', { email_addresses: [address] }),
      ),
    )
    await settle()
    expect(await Promise.all(people.map(companyOf))).toEqual([host, root, root])
  })

  test('keeps its company, and gets one with a later address', async () => {
    const own = await records.record('companies', { domains: ['kept.org'] })
    const withCompany = await records.record('people', { email_addresses: ['a@other.org'], company: [own] })
    const later = await records.record('people', {})
    await settle()
    expect([await companyOf(withCompany), await companyOf(later)]).toEqual([own, undefined])
    const path = `/v2/objects/people/records/${later}`
    await service.request('PATCH', path, { data: { values: { email_addresses: ['x@later.org'] } } })
    await settle()
    expect([await companyOf(later)]).toEqual(await companiesWith('later.org'))
    expect(await companiesWith('other.org')).toEqual([])
  })

  test.each(['a@gmail.com', 'a@googlemail.com', 'a@web.de', 'a@proton.me', 'a@hey.com', 'a@example.com'])(
    'gets no company for %s',
    async (address) => {
      // example.com is the domain of the member.
      const person = await records.record('people', { email_addresses: [address] })
      await settle()
      expect(await companyOf(person)).toBeUndefined()
    },
  )

  test('gets the company of the first address that has one', async () => {
    const person = await records.record('people', { email_addresses: ['first@gmail.com', 'second@second.org'] })
    await settle()
    expect(await companiesWith('second.org')).toEqual([(await companyOf(person)) ?? ''])
  })

  test('gets none where the workspace creates no contacts', async () => {
    await switchContacts(service, false)
    const person = await records.record('people', { email_addresses: ['ada@switched-off.org'] })
    await settle()
    await switchContacts(service, true)
    expect(await companyOf(person)).toBeUndefined()
  })

  test('shares one company with others, however many are written at once by however many workers', async () => {
    const people = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        records.record('people', { email_addresses: [`p${index}@host${index % 3}.shared.org`] }),
      ),
    )
    await settle(4)
    const companies = new Set(await Promise.all(people.map(companyOf)))
    expect([...companies]).toEqual(await companiesWith('shared.org'))
  })

  test('of an import waits until the import is over', async () => {
    const now = service.appContext.now()
    service.setNow(now)
    const people = await Promise.all(
      Array.from({ length: 60 }, (_, index) => records.record('people', { email_addresses: [`i${index}@bulk.org`] })),
    )
    await settle()
    expect(await companiesWith('bulk.org')).toEqual([])
    service.setNow(now + 11 * SECOND)
    await settle()
    service.setNow()
    const [company = ''] = await companiesWith('bulk.org')
    expect(new Set(await Promise.all(people.map(companyOf)))).toEqual(new Set([company]))
  })
})

describe('a job that fails', () => {
  test('is tried again later, alone, and dropped after ten attempts', async () => {
    const { db, workspaceId, appContext } = service
    const person = await records.record('people', { email_addresses: ['x@failing.org'] })
    await publishAll(service)
    await readFeeds(appContext)
    await db.sql`insert into relata.contact_jobs (workspace_id, id, record_ids, is_bulk, created_at, due_at)
      values (${workspaceId}, ${crypto.randomUUID()}, ${[person]}::uuid[], false, now(), now())`
    const failing = { get: () => Promise.reject(new Error('no')), reload: appContext.models.reload }
    let now = appContext.now()
    const options = { db, models: failing, now: () => now, onWritten: () => {} }
    await runWorker(contactWorker, options)
    expect(complaints).toHaveBeenCalledTimes(1)
    for (let attempts = 2; attempts <= 11; attempts++) {
      now += 48 * 3600 * SECOND
      await runWorker(contactWorker, options)
    }
    expect(complaints).toHaveBeenCalledTimes(1 + 9 * 2)
    expect(await db.sql`select 1 from relata.contact_jobs`).toHaveLength(0)
    complaints.mockClear()
  })
})

describe('a participant of a meeting', () => {
  test('becomes a person with a company, both linked to the meeting', async () => {
    const given = await records.record('companies')
    const meeting = await meetings.meeting({
      participants: [
        participant('Grace@Compiler.org', { name: 'Grace Hopper' }),
        participant('someone@gmail.com'),
        participant('colleague@example.com'),
        { name: 'Room 4', is_organizer: false, status: 'accepted' },
      ],
      linked_records: [{ object: 'companies', record_id: given }],
    })
    expect(await linksOf(meeting)).toEqual([given])
    await settle()
    const [[grace = ''], [free = ''], colleagues] = [
      await peopleWith('grace@compiler.org'),
      await peopleWith('someone@gmail.com'),
      await peopleWith('colleague@example.com'),
    ]
    const [company = ''] = await companiesWith('compiler.org')
    expect([await companyOf(grace), await companyOf(free), colleagues]).toEqual([company, undefined, []])
    expect((await values('people', grace)).name[0].full_name).toBe('Grace Hopper')
    expect(await linksOf(meeting)).toEqual([given, grace, free, company])
    const listed = await meetings.list(`?linked_object=people&linked_record_id=${grace}`)
    expect(listed.body.data).toHaveLength(1)
  })

  test('is linked to the person who has the address, also a colleague, and to their company', async () => {
    const company = await records.record('companies', {})
    const person = await records.record('people', { email_addresses: ['known@elsewhere.org'], company: [company] })
    const colleague = await records.record('people', { email_addresses: ['known@example.com'] })
    const participants = ['known@elsewhere.org', 'known@example.com'].map((address) => participant(address))
    const meeting = await meetings.meeting({ participants })
    await settle()
    expect(await linksOf(meeting)).toEqual([person, colleague, company])
  })

  test('loses the link with the participation, unless the record is given', async () => {
    const participants = [participant('a@replaced.org')]
    const meeting = await meetings.meeting({ participants })
    await settle()
    const before = await linksOf(meeting)
    expect(before).toHaveLength(2)
    const [person = ''] = await peopleWith('a@replaced.org')
    await meetings.update(meeting, { linked_records: [{ object: 'people', record_id: person }] })
    await meetings.update(meeting, { participants: [{ name: 'Room', is_organizer: false, status: 'pending' }] })
    await settle()
    expect(await linksOf(meeting)).toEqual([person])
    await meetings.replace(meeting, [])
    await meetings.update(meeting, { participants })
    await settle()
    expect(await linksOf(meeting)).toEqual(before)
  })

  test('loses the link with its company when links are replaced, until the participants change', async () => {
    const meeting = await meetings.meeting({ participants: [participant('a@unlinked.org')] })
    // The second time, the worker links the person that it created to the meetings with the address.
    await settle()
    await settle()
    const before = await linksOf(meeting)
    expect(before).toHaveLength(2)
    const given = await records.record('companies')
    await meetings.replace(meeting, [{ object: 'companies', record_id: given }])
    await meetings.update(meeting, { title: 'Later' })
    await settle()
    expect(await linksOf(meeting)).toEqual([given])
    await meetings.replace(meeting, [])
    await settle()
    expect(await linksOf(meeting)).toEqual([])
    await meetings.update(meeting, { participants: ['a@unlinked.org', 'b@unlinked.org'].map((each) => participant(each)) })
    await settle()
    expect(await linksOf(meeting)).toEqual(expect.arrayContaining(before))
  }) // prettier-ignore

  test('stays linked when the link comes after links were replaced', async () => {
    const meeting = await meetings.meeting({ participants: [participant('a@afterwards.org')] })
    await meetings.replace(meeting, [])
    await settle()
    const [person = ''] = await peopleWith('a@afterwards.org')
    const [company = ''] = await companiesWith('afterwards.org')
    expect(await linksOf(meeting)).toEqual([person, company])
  })

  test('becomes one person in ten meetings at once, by four workers', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        meetings.meeting({ participants: [participant('one@once.org'), participant(`p${index}@once.org`)] }),
      ),
    )
    await settle(4)
    const [person = '', ...others] = await peopleWith('one@once.org')
    expect([others, (await companiesWith('once.org')).length]).toEqual([[], 1])
    for (const id of ids) expect(await linksOf(id)).toContain(person)
  })

  test('is linked as the participants and records are when the links are written', async () => {
    await switchContacts(service, false)
    const person = (email: string) => records.record('people', { email_addresses: [email] })
    const [b, c] = [await person('b@during.org'), await person('c@during.org'), await person('a@during.org')]
    const meeting = await meetings.meeting({ participants: [participant('a@during.org')] })
    await settleDuring(async () => {
      await meetings.update(meeting, { participants: [participant('b@during.org')] })
      await settle()
    })
    expect(await linksOf(meeting)).toEqual([b])
    await meetings.update(meeting, { participants: [participant('c@during.org')] })
    const data = { primary_record_id: b, secondary_record_id: c }
    await settleDuring(() => service.request('POST', '/v2/objects/people/records/merge', { data }))
    await switchContacts(service, true)
    expect(await linksOf(meeting)).toEqual(await peopleWith('c@during.org'))
  })

  test('is not created where the workspace creates no contacts, and an existing person is linked', async () => {
    await switchContacts(service, false)
    const person = await records.record('people', { email_addresses: ['there@off.org'] })
    const meeting = await meetings.meeting({ participants: [participant('there@off.org'), participant('new@off.org')] })
    await settle()
    await switchContacts(service, true)
    expect([await linksOf(meeting), await peopleWith('new@off.org')]).toEqual([[person], []])
  })

  test('leaves no job for a meeting that is deleted', async () => {
    const meeting = await meetings.meeting({ participants: [participant('x@deleted.org')] })
    await meetings.remove(meeting)
    await settle()
    expect(await peopleWith('x@deleted.org')).toEqual([])
    expect(await service.db.sql`select 1 from relata.contact_jobs`).toHaveLength(0)
  })
})
