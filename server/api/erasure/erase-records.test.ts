/** What is left of a person after each of the ways in which records are deleted for good. See docs/reference/trash.md (Deletion for good). */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { deleteExpiredTrash } from '#engine/entities/trash/delete-expired'
import { readFeeds } from '#crm/feed-worker'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import { attributeClient, attributeInput } from '#testing/attributes'
import { addEmails, emailFrom } from '#testing/emails'
import { importsOf } from '#testing/imports'
import { jobsOf } from '#testing/jobs'
import { meetingClient, participant } from '#testing/meetings'
import { signedIn } from '#testing/people'
import { rollupsOf } from '#testing/rollups'
import { testService, type TestService } from '#testing/service'
import { taskClient, taskIdOf } from '#testing/tasks'
import { reference, trashClient } from '#testing/trash'
import { publish, tablesWith } from '#testing/whole-person'
import { erasureWith } from './erase-records'

const PEOPLE = '/v2/objects/people/records'
const DAY = 86_400_000_000

let kept: TestService
let without: TestService
beforeAll(async () => {
  kept = await testService()
  without = await testService({ trashDays: 0 })
  for (const service of [kept, without]) {
    const subscriptions = [{ event_type: 'record.updated', filter: null, include: ['values'] }]
    const data = { target_url: 'https://example.com/hook', subscriptions }
    expect((await service.request('POST', '/v2/webhooks', { data })).status).toBe(200)
    await defineComputed(service)
  }
})
afterAll(async () => {
  await kept.close()
  await without.close()
})

/** Tracked attributes of companies, which have texts of people. */
async function defineComputed(service: TestService): Promise<void> {
  const config = { record_reference: { allowed_objects: ['people'] } }
  const rollup = { through: 'people.company', function: 'list', of: 'job_title' }
  for (const members of [
    { api_slug: 'contact', type: 'record-reference', config },
    { api_slug: 'contact_title', computed: { lookup: ['contact', 'job_title'], tracked: true } },
    { api_slug: 'titles', computed: { rollup, tracked: true } },
    { api_slug: 'loud', computed: { formula: 'upper(contact_title)', tracked: true } },
  ]) {
    const answer = await attributeClient(service).create('companies', attributeInput(members))
    expect([answer.status, answer.body.message]).toEqual([200, undefined])
  }
}

const WAYS = {
  'permanent=true': async (id: string) => {
    expect((await trashClient(kept).purge('people', id)).status).toBe(200)
    return kept
  },
  'permanent=true, from the trash': async (id: string) => {
    await trashClient(kept).remove('people', id)
    expect((await trashClient(kept).purge('people', id)).status).toBe(200)
    return kept
  },
  'the expiry of the trash': async (id: string) => {
    await trashClient(kept).remove('people', id)
    await publish(kept)
    const prepareErasure = erasureWith({ now: kept.appContext.now })
    const expiry = { now: kept.appContext.now() + 32 * DAY, batchSize: 2, prepareErasure }
    while (await deleteExpiredTrash(kept.db, expiry));
    return kept
  },
  'a single deletion without a trash': async (id: string) => {
    expect((await trashClient(without).remove('people', id)).status).toBe(200)
    return without
  },
  'a batch without a trash': async (id: string) => {
    const operations = [{ op: 'delete', record_id: id }]
    const { body } = await without.request('POST', `${PEOPLE}/batch`, { data: { operations } })
    expect(body.data.results[0].status).toBe(200)
    return without
  },
  'a job without a trash': async (id: string) => {
    const job = await jobsOf(without).complete(PEOPLE, { record_id: id }, { op: 'delete' })
    expect([job.status, job.done]).toEqual(['completed', 1])
    return without
  },
}

let seeds = 0
/** Stores a person everywhere where a person can be. Every text contains `secret`. */
async function seed(service: TestService) {
  const secret = `secretive${++seeds}`
  const [old, current] = [`old@${secret}.dev`, `new@${secret}.dev`]
  const write = async (method: string, path: string, data: object) => {
    const headers = { 'Idempotency-Key': `${secret}-${method}-${path}` }
    const answer = await service.request(method, path, { data }, { headers })
    expect([method, path, answer.status, answer.body.message]).toEqual([method, path, 200, undefined])
    return answer.body.data
  }
  const { id } = await write('POST', PEOPLE, { values: { name: `${secret}, Ada`, email_addresses: [old] } })
  const record = `${PEOPLE}/${id.record_id}`
  const company = await trashClient(service).create('companies', { contact: id.record_id })
  await write('PUT', record, { values: { email_addresses: [current], job_title: secret, company } })
  await publish(service)
  await rollupsOf(service).work()
  await service.request('PATCH', record, { data: { values: { job_title: `${secret} next` } } })
  await publish(service)
  await rollupsOf(service).work()
  await write('PATCH', record, { values: { job_title: `${secret} again` } })
  const { email_address: member } = service.member
  const other = `grace-${seeds}@navy.mil`
  await addEmails(service, [
    emailFrom(current, '2026-01-01T10:00:00Z', [member], `Alone ${seeds}`),
    emailFrom(other, '2026-01-02T10:00:00Z', [old, member], `Together ${seeds}`),
  ])
  const participants = [participant(current, { name: secret }), participant(old), participant(other)]
  const meetings = meetingClient(service)
  const meeting = (await meetings.create({ participants }, { headers: { 'Idempotency-Key': `${secret}-meeting` } }))
    .body.data.id.meeting_id
  const admin = await signedIn(service)
  const imports = importsOf(service, admin)
  const imported = await imports.begin(`Company,Founded\nNew ${seeds},by ${old.toUpperCase()}`, {
    Founded: 'foundation_date',
  })
  await imports.runAll()
  expect((await imports.shown(imported)).problems).toBe(1)
  return { id: id.record_id as string, company, secret, old, current, other, meeting }
}

describe('no table has the values of a person after', () => {
  test.each(Object.entries(WAYS))(
    '%s',
    async (name, erase) => {
      const service = name.endsWith('without a trash') ? without : kept
      const { id, company, secret, other, meeting } = await seed(service)
      const before = await tablesWith(service, secret)
      for (const table of ['emails', 'email_addresses', 'email_domains', 'meeting_participants', 'imports'])
        expect(before).toContain(`relata.${table}`)
      for (const table of ['import_problems', 'idempotent_answers', 'deliveries'])
        expect(before.some((found) => found.startsWith(`relata.${table}`))).toBe(true)
      for (const table of ['history', 'outbox']) expect(before).toContain(`w_1.${table}`)
      const historyOf = async (attribute: string) =>
        (
          await service.request(
            'GET',
            `/v2/objects/companies/records/${company}/attributes/${attribute}/values?show_historic=true`,
          )
        ).body.data
      for (const attribute of ['contact_title', 'titles', 'loud']) expect(await historyOf(attribute)).toHaveLength(2)

      await erase(id)
      await publish(service)
      await rollupsOf(service).work()
      expect(await tablesWith(service, secret)).toEqual([])
      const { body } = await service.request('GET', `/v2/emails?participants=${other}`)
      expect(body.data[0].participants.map((each: { email_address: string }) => each.email_address)).toEqual([
        other,
        service.member.email_address,
      ])
      const shown = (await meetingClient(service).get(meeting)).body.data
      expect(shown.participants.map((each: { email_address: string }) => each.email_address)).toEqual([other])
    },
    60_000,
  )
})

test('addresses that another person or a member has stay', async () => {
  const trash = trashClient(kept)
  const { email_address: member } = kept.member
  const first = await trash.create('people', { email_addresses: ['shared@stays.dev', member] })
  await trash.update('people', first, { email_addresses: ['own@stays.dev'] })
  await kept.request('PUT', `${PEOPLE}/${first}`, { data: { values: { email_addresses: ['own@stays.dev', member] } } })
  await trash.create('people', { email_addresses: ['shared@stays.dev'] })
  const subject = 'To stay'
  await addEmails(kept, [
    emailFrom('shared@stays.dev', '2026-02-01T10:00:00Z', ['own@stays.dev', member], subject),
    emailFrom('own@stays.dev', '2026-02-02T10:00:00Z', ['own@stays.dev'], subject),
  ])
  const meetings = meetingClient(kept)
  const alone = await meetings.meeting({ participants: [participant('own@stays.dev')] })
  const etag = (await meetings.get(alone)).headers.get('ETag')
  await trash.purge('people', first)
  const { body } = await kept.request('GET', '/v2/emails?domain=stays.dev')
  expect(body.data).toHaveLength(1)
  expect(body.data[0].participants.map((each: { email_address: string }) => each.email_address)).toEqual([
    'shared@stays.dev',
    member,
  ])
  const after = await meetings.get(alone)
  expect([after.body.data.participants, after.headers.get('ETag') === etag]).toEqual([[], false])
  expect((await meetings.list('')).status).toBe(200)
})

test('interaction attributes of other records follow', async () => {
  const trash = trashClient(kept)
  const work = async () => {
    await kept.events()
    await readFeeds(kept.appContext)
    await refreshInteractions(kept.appContext)
  }
  await work()
  const person = await trash.create('people', { email_addresses: ['x@refreshed.dev'] })
  await addEmails(kept, [emailFrom('x@refreshed.dev', '2026-03-01T10:00:00Z', [kept.member.email_address])])
  const company = await trash.create('companies', { domains: ['refreshed.dev'] })
  await work()
  expect((await trash.values('companies', company)).last_interaction).toHaveLength(1)
  await trash.purge('people', person)
  kept.setNow(kept.appContext.now() + 120_000_000)
  await work()
  kept.setNow()
  expect((await trash.values('companies', company)).last_interaction).toEqual([])
})

test('many emails of a person are changed in batches', async () => {
  const trash = trashClient(kept)
  const person = await trash.create('people', { email_addresses: ['many@batches.dev', 'twice@batches.dev'] })
  const emails = Array.from({ length: 1_200 }, (_, at) => {
    const sentAt = new Date(Date.UTC(2025, 0, 1) + at * 60_000).toISOString()
    return emailFrom('many@batches.dev', sentAt, at % 2 === 0 ? ['twice@batches.dev'] : ['sales@batches.dev'])
  })
  await addEmails(kept, emails)
  await trash.purge('people', person)
  const rows = await kept.db.sql<{ participants: string }[]>`
    select participants from relata.emails where participants::text like '%@batches.dev%'`
  expect(rows).toHaveLength(600)
  expect(new Set(rows.map(({ participants }) => participants))).toEqual(
    new Set(['[["to", "sales@batches.dev", null]]']),
  )
  const domains = await kept.db.sql`select 1 from relata.email_domains where email_domain = 'batches.dev'`
  expect(domains).toHaveLength(600)
  expect(await tablesWith(kept, 'twice@batches.dev')).toEqual([])
})

describe('erase_tasks', () => {
  const purge = (id: string, options = {}) =>
    kept.request('DELETE', `${PEOPLE}/${id}?permanent=true&erase_tasks=true`, undefined, options)
  const create = async (isTrashed: boolean) => {
    const trash = trashClient(kept)
    const id = await trash.create('people')
    const content = `Call about secrets ${++seeds}`
    const input = { content, linked_records: [reference('people', id)] }
    const { body } = await taskClient(kept).create(input, { headers: { 'Idempotency-Key': `task-${seeds}` } })
    if (isTrashed) await trash.remove('people', id)
    return { id, task: taskIdOf(body.data), content: content.toLowerCase() }
  }

  test.each([false, true])('200 erases the texts of tasks (in the trash: %p)', async (isTrashed) => {
    const { id, task, content } = await create(isTrashed)
    await kept.events()
    expect((await purge(id)).status).toBe(200)
    expect(await tablesWith(kept, content)).toEqual([])
    const { body } = await taskClient(kept).get(task)
    expect([body.data.content_plaintext, body.data.linked_records]).toEqual(['[erased]', []])
    const events = await kept.events()
    expect(events.filter(({ event_type }) => event_type === 'task.updated')).toMatchObject([{ id: { task_id: task } }])
  })

  test('texts stay without the parameter', async () => {
    const { id, content } = await create(false)
    await trashClient(kept).purge('people', id)
    expect(await tablesWith(kept, content)).toContain('relata.tasks')
  })

  test('400 without permanent=true, 403 without the scope of tasks', async () => {
    const { id } = await create(false)
    for (const query of ['erase_tasks=true', 'erase_tasks=true&permanent=false', 'erase_tasks=x&permanent=true'])
      expect([query, (await kept.request('DELETE', `${PEOPLE}/${id}?${query}`)).status]).toEqual([query, 400])
    const key = await kept.keyWith(['record_permission:read-write', 'object_configuration:read'])
    expect((await purge(id, { key })).status).toBe(403)
    expect((await trashClient(kept).get('people', id)).status).toBe(200)
  })
})
