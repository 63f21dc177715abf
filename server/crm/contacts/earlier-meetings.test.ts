/** Meetings of people who get an address later. See docs/reference/meetings.md (Linked records). */

import { beforeEach, describe, expect, test } from 'bun:test'
import { beforeFirstTransaction } from '#testing/before-transaction'
import { settleContacts, switchContacts } from '#testing/contacts'
import { listClient } from '#testing/lists'
import { meetingClient, participant } from '#testing/meetings'
import { publishAll } from '#testing/events'
import { useTestService } from '#testing/use-service'
import { readFeeds } from '#crm/feed-worker'
import { runWorker } from '#testing/workers'
import { contactWorker } from './worker'

const service = useTestService()
const meetings = meetingClient(service)
const records = listClient(service)
/** Participants become people only where a test says so. */
beforeEach(() => switchContacts(service, false))

const settle = (processes?: number) => settleContacts(service, processes)
const linksOf = async (meeting: string): Promise<string[]> =>
  (await meetings.get(meeting)).body.data.linked_records.map(({ record_id }: { record_id: string }) => record_id)
const meetingWith = (...addresses: string[]) =>
  meetings.meeting({ participants: addresses.map((address) => participant(address)) })
const give = (person: string, values: object) =>
  service.request('PATCH', `/v2/objects/people/records/${person}`, { data: { values } })

describe('a person who gets the address of a participant later', () => {
  test.each([false, true])(
    'is linked to the earlier meetings, with the company (creates contacts: %p)',
    async (isOn) => {
      const address = `later@${isOn ? 'on' : 'off'}.org`
      const given = await records.record('companies')
      const [first, second, other] = [
        await meetingWith(address, 'unknown@elsewhere.org'),
        await meetingWith('first@elsewhere.org', address),
        await meetingWith('unknown@elsewhere.org'),
      ]
      await settle()
      await switchContacts(service, isOn)
      const person = await records.record('people', { company: [given] })
      await settle()
      expect(await linksOf(first)).toEqual([])
      await give(person, { email_addresses: [address] })
      await settle()
      // The other participants do not become people by this.
      expect([await linksOf(first), await linksOf(second), await linksOf(other)]).toEqual([
        [person, given],
        [person, given],
        [],
      ])
    },
  )

  test('is linked when the person is created with it, and with the company that the worker finds', async () => {
    const meeting = await meetingWith('ada@created.org')
    await settle()
    await switchContacts(service, true)
    const person = await records.record('people', { email_addresses: ['ada@created.org'] })
    await settle(4)
    const { body } = await service.request('GET', `/v2/objects/people/records/${person}`)
    const company = body.data.values.company[0].target_record_id
    expect(await linksOf(meeting)).toEqual([person, company])
  })

  test('is linked once: a later change of the address writes nothing to the meetings', async () => {
    const meeting = await meetingWith('once@earlier.org')
    await settle()
    const person = await records.record('people', { email_addresses: ['once@earlier.org'] })
    await settle()
    const { headers } = await meetings.get(meeting)
    await give(person, { email_addresses: ['once@earlier.org', 'more@earlier.org'] })
    await settle(2)
    expect((await meetings.get(meeting)).headers.get('ETag')).toBe(headers.get('ETag') ?? '')
    await meetings.update(meeting, { title: 'Changed' })
    expect(await linksOf(meeting)).toEqual([person])
  })

  test('is not linked to a participation that ended, nor deleted people to anything, while the worker links', async () => {
    const [ended, stays] = [await meetingWith('race@earlier.org'), await meetingWith('race@earlier.org')]
    await settle()
    const person = await records.record('people', { email_addresses: ['race@earlier.org'] })
    const { appContext, db } = service
    await publishAll(service)
    await readFeeds(appContext)
    const end = () => meetings.update(ended, { participants: [participant('next@earlier.org')] })
    const options = { models: appContext.models, now: appContext.now, onWritten: () => {} }
    await runWorker(contactWorker, { ...options, db: { ...db, sql: beforeFirstTransaction(db.sql, end) } })
    expect([await linksOf(ended), await linksOf(stays)]).toEqual([[], [person]])

    const deleted = await records.record('people', { email_addresses: ['next@earlier.org'] })
    await publishAll(service)
    await readFeeds(appContext)
    const remove = () => service.request('DELETE', `/v2/objects/people/records/${deleted}`)
    await runWorker(contactWorker, { ...options, db: { ...db, sql: beforeFirstTransaction(db.sql, remove) } })
    expect(await linksOf(ended)).toEqual([])
  })

  test('is linked to many meetings, a part of them in each transaction', async () => {
    const { db, workspaceId } = service
    const template = await meetingWith('many@earlier.org')
    await settle()
    await db.sql`
      with added as (
        insert into relata.meetings (workspace_id, id, title, description, is_all_day, starts_at, ends_at, duration_class, created_at, created_by)
        select workspace_id, gen_random_uuid(), title, description, is_all_day, starts_at, ends_at, duration_class, created_at, created_by
        from relata.meetings, generate_series(1, 1500) where workspace_id = ${workspaceId} and id = ${template}
        returning *
      )
      insert into relata.meeting_participants (workspace_id, meeting_id, position, email_address, is_organizer, status,
        is_all_day, duration_class, starts_at, ends_at)
      select workspace_id, id, 1, 'many@earlier.org', false, 'pending', is_all_day, duration_class, starts_at, ends_at from added`
    const person = await records.record('people', { email_addresses: ['many@earlier.org'] })
    await settle()
    const count = async () =>
      (await db.sql`select 1 from relata.meeting_links where workspace_id = ${workspaceId} and record_id = ${person}`)
        .length
    expect(await count()).toBe(1501)
    expect(await db.sql`select 1 from relata.contact_jobs`).toHaveLength(0)
  })
})
