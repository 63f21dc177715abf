/** Retention rules: who sets them, and what their worker deletes. See docs/privacy.md (Retention). */

import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import { getObject } from '#engine/data-model/find'
import { takeDue } from '#engine/queue'
import { recordIdOf } from '#testing/answer-shapes'
import { attributeInput } from '#testing/attributes'
import { captureLog } from '#testing/captured-log'
import { commentClient, onRecord } from '#testing/comments'
import { createTrigger } from '#testing/create-trigger'
import { addEmails, emailFrom } from '#testing/emails'
import { fileClient } from '#testing/files'
import { holdSending, ORIGINAL, startAt } from '#testing/installation'
import { listInput } from '#testing/lists'
import { meetingClient } from '#testing/meetings'
import { signedIn } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'
import { trashClient } from '#testing/trash'
import { dataOf } from '#testing/whole-workspace/data-of'
import type { Micros } from '#base/timing/clock'
import { DAY, retentionQueue, type RetentionRule } from './rules'
import { DELETED_AT_ONCE, retentionWorker } from './worker'

const service = useTestService()
const trash = trashClient(service)
const admin = usePerson(service)
let start: Micros
let cases = 0
/** The object of the present case. */
let slug: string
beforeAll(async () => {
  start = service.appContext.now()
})
beforeEach(() => void (slug = `things_${++cases}`))
afterEach(async () => {
  service.setNow()
  await service.db.sql`delete from relata.retention_rules`
  await service.events()
})

const pathOf = (object: string) => `/console/api/workspaces/${service.workspaceId}/objects/${object}/retention`
const idOf = async (object: string) => getObject(await service.appContext.models.get(service.workspaceId), object).id

async function setRule(object: string, rule: RetentionRule | null): Promise<void> {
  const { status } = await admin.ask('PUT', pathOf(await idOf(object)), { rule })
  expect(status).toBe(200)
}

/** An object with records that were created so many days ago. Returns their ids. */
async function seed(count: number, days = 400): Promise<string[]> {
  const post = dataOf(service, 'POST')
  await post('/objects', { api_slug: slug, singular_noun: slug, plural_noun: `${slug}s` })
  await post(`/objects/${slug}/attributes`, attributeInput({ api_slug: 'note' }))
  return seedRecords(count, days)
}

async function seedRecords(count: number, days: number): Promise<string[]> {
  service.setNow(start - days * DAY)
  const operations = Array.from({ length: count }, () => ({ op: 'create', values: { note: 'old' } }))
  const path = `/v2/objects/${slug}/records/batch?return=ids`
  const { body } = await service.request('POST', path, { data: { operations } })
  expect(body.data.failed).toBe(0)
  service.setNow(start)
  await service.events()
  return body.data.results.map(recordIdOf)
}

const present = async (): Promise<string[]> => {
  const { body } = await service.request('POST', `/v2/objects/${slug}/records/query`, { limit: 500 })
  return body.data.map(({ id }: { id: { record_id: string } }) => id.record_id)
}

/** Runs the rules that are due a day after the present time. */
async function runAll(pause = async () => {}, workers = 1): Promise<void> {
  service.setNow(start + DAY)
  const running = Array.from({ length: workers }, () => retentionWorker(pause).start(service.appContext))
  await Promise.all(running.map((worker) => worker.settled()))
  await Promise.all(running.map((worker) => worker.stop()))
  service.setNow(start)
}

async function auditEntries(action: string) {
  const path = `/console/api/workspaces/${service.workspaceId}/audit-log?action=${action}`
  const { body } = await admin.ask('GET', path)
  return body.data
}

describe('GET, PUT and POST …/objects/{object}/retention', () => {
  test('200 without a rule, with one, and with an audit entry for each change', async () => {
    await seed(2)
    const path = pathOf(await idOf(slug))
    const none = { rule: null, next_run_at: null, last_run: null }
    expect((await admin.ask('GET', path)).body.data).toEqual(none)
    const rule = { days: 365, action: 'trash' }
    const saved = await admin.ask('PUT', path, { rule })
    expect(saved.body.data).toMatchObject({ rule, last_run: null })
    expect(Date.parse(saved.body.data.next_run_at)).toBe(Math.floor((start + DAY) / 1000))
    expect((await admin.ask('GET', path)).body).toEqual(saved.body)
    expect((await admin.ask('PUT', path, { rule: null })).body.data).toEqual(none)
    const [removed, created] = await auditEntries('object.retention-changed')
    expect(created.details).toEqual({ before: null, after: rule })
    expect(removed.details).toEqual({ before: rule, after: null })
    expect(created.actor.id).toBe(admin.memberIds[service.workspaceId])
  })

  test('200 with the number of records that had no change for so long', async () => {
    await seed(3, 400)
    await seedRecords(2, 100)
    const preview = async (days: number) =>
      (await admin.ask('POST', `${pathOf(await idOf(slug))}/preview`, { days })).body.data
    expect(await preview(365)).toEqual({ records: 3, is_complete: true })
    expect(await preview(90)).toEqual({ records: 5, is_complete: true })
    expect(await preview(500)).toEqual({ records: 0, is_complete: true })
    expect(await present()).toHaveLength(5)
  })

  test('403 for members, 404 for other objects, 400 for other rules', async () => {
    const member = await signedIn(service, { [service.workspaceId]: 'member' })
    const path = pathOf(await idOf('people'))
    const rule = { days: 1, action: 'delete' }
    for (const [method, at, body] of [
      ['GET', path, undefined],
      ['PUT', path, { rule }],
      ['POST', `${path}/preview`, { days: 1 }],
    ] as const)
      expect([method, (await member.ask(method, at, body)).status]).toEqual([method, 403])
    const other = pathOf('00000000-0000-4000-8000-000000000000')
    expect((await admin.ask('PUT', other, { rule })).status).toBe(404)
    for (const wrong of [{}, { days: 0 }, { days: 40_000 }, { days: 1.5 }, { days: '1' }, { action: 'archive' }]) {
      const given = Object.keys(wrong).length === 0 ? {} : { ...rule, ...wrong }
      expect([wrong, (await admin.ask('PUT', path, { rule: given })).status]).toEqual([wrong, 400])
    }
    expect(await service.db.sql`select 1 from relata.retention_rules`).toHaveLength(0)
  })
})

describe('the worker', () => {
  test('moves records to the trash that had no change, once a day, with events and one audit entry', async () => {
    const old = await seed(3)
    const young = await seedRecords(1, 300)
    await setRule(slug, { days: 365, action: 'trash' })
    await retentionWorker().start(service.appContext).stop()
    expect(await present()).toHaveLength(4)
    await runAll()
    expect(await present()).toEqual(young)
    const events = await service.events()
    expect(events.map((event) => event.event_type)).toEqual(old.map(() => 'record.deleted'))
    expect(events[0]?.actor).toEqual({ type: 'system', id: null })
    expect((await trash.list(slug)).body.data).toHaveLength(3)
    expect((await trash.restore(slug, old[0] ?? '')).status).toBe(200)
    const [entry, ...others] = await auditEntries('object.records-expired')
    expect(entry.details).toEqual({ records: 3, days: 365, action: 'trash' })
    expect(others).toEqual([])
    const { body } = await admin.ask('GET', pathOf(await idOf(slug)))
    expect(body.data.last_run.deleted_records).toBe(3)
    expect(Date.parse(body.data.next_run_at)).toBe(Math.floor((start + 2 * DAY) / 1000))
    // The restored record counts as changed.
    start += DAY
    await runAll()
    start -= DAY
    expect(await present()).toHaveLength(2)
    expect(await auditEntries('object.records-expired')).toHaveLength(1)
  })

  test('deletes for good, and erases values elsewhere', async () => {
    const [id = ''] = await seed(1)
    await trash.update(slug, id, { note: 'unmistakable' })
    await setRule(slug, { days: 1, action: 'delete' })
    start += 2 * DAY
    await runAll()
    start -= 2 * DAY
    expect((await trash.list(slug)).body.data).toEqual([])
    expect((await trash.restore(slug, id)).status).toBe(404)
    const rows = await service.db.sql`select 1 from relata.events where body::text like '%unmistakable%'`
    expect(rows).toHaveLength(0)
  })

  test('keeps records with a newer value, entry, note, comment, file, task, meeting or email, or without an entry', async () => {
    service.setNow(start - 400 * DAY)
    slug = 'people'
    const post = dataOf(service, 'POST')
    const ids: string[] = []
    for (let index = 0; index < 10; index++)
      ids.push(await trash.create('people', { email_addresses: [`p${index}@kept.dev`] }))
    await post('/lists', listInput({ name: 'Kept', api_slug: 'kept', parent_object: 'people' }))
    const [
      value = '',
      entry = '',
      note = '',
      comment = '',
      file = '',
      task = '',
      meeting = '',
      ,
      removed = '',
      unchanged = '',
    ] = ids
    const before = await post('/lists/kept/entries', {
      parent_object: 'people',
      parent_record_id: removed,
      entry_values: {},
    })
    service.setNow(start)
    await trash.update('people', value, { description: 'new' })
    const of = (id: string) => ({ parent_object: 'people', parent_record_id: id })
    await post('/lists/kept/entries', { ...of(entry), entry_values: {} })
    await post('/notes', { ...of(note), title: 'New', format: 'plaintext', content: 'new' })
    await commentClient(service).comment(onRecord(comment), { content: 'new' })
    await fileClient(service).file(file, { name: 'new.txt', content: 'new' })
    const linked = (id: string) => ({ linked_records: [{ target_object: 'people', target_record_id: id }] })
    await taskClient(service).task({ content: 'new', ...linked(task) })
    expect((await service.request('DELETE', `/v2/lists/kept/entries/${before.id.entry_id}`)).status).toBe(200)
    const records = [{ object: 'people', record_id: meeting }]
    await meetingClient(service).meeting({ linked_records: records })
    await addEmails(service, [
      emailFrom('p7@kept.dev', new Date(start / 1000).toISOString(), [service.member.email_address], 'New'),
    ])
    const model = await service.appContext.models.reload(service.workspaceId)
    await requestRefreshesFor(service.db.sql, model, ['p7@kept.dev'], start)
    await refreshInteractions({ db: service.db, now: service.appContext.now })
    await setRule('people', { days: 365, action: 'delete' })
    const { body } = await admin.ask('POST', `${pathOf(await idOf('people'))}/preview`, { days: 365 })
    expect(body.data.records).toBe(1)
    await runAll()
    expect((await present()).toSorted()).toEqual(ids.filter((id) => id !== unchanged).toSorted())
  })

  test('of two processes, one deletes at a time, and each record once', async () => {
    const ids = await seed(2 * DELETED_AT_ONCE + 10)
    await setRule(slug, { days: 365, action: 'trash' })
    await runAll(async () => {}, 2)
    const events = (await service.events()).map(({ id }) => (id as { record_id?: string }).record_id)
    expect(events.toSorted()).toEqual(ids.toSorted())
    const entries = await auditEntries('object.records-expired')
    const object = await idOf(slug)
    const ofObject = entries.filter(({ subject }: { subject: { id: string } }) => subject.id === object)
    expect(ofObject.map(({ details }: { details: object }) => details)).toEqual([
      { records: ids.length, days: 365, action: 'trash' },
    ])
  })

  test('goes on after a process that was killed half way', async () => {
    const ids = await seed(DELETED_AT_ONCE + 10)
    await setRule(slug, { days: 365, action: 'trash' })
    service.setNow(start + DAY)
    expect(await takeDue(service.db, retentionQueue, { now: start + DAY, limit: 1 })).toHaveLength(1)
    for (const id of ids.slice(0, 5)) await trash.remove(slug, id)
    await runAll()
    expect(await present()).toHaveLength(ids.length - 5)
    // The lease ends, because the process that has it does not renew it.
    start += 61_000_000
    await runAll()
    start -= 61_000_000
    expect(await present()).toEqual([])
    const events = (await service.events()).map(({ id }) => (id as { record_id?: string }).record_id)
    expect(events.toSorted()).toEqual(ids.toSorted())
  })

  test('keeps a record that is changed after it was read', async () => {
    const ids = await seed(DELETED_AT_ONCE + 10)
    const last = ids.toSorted().at(-1) ?? ''
    await setRule(slug, { days: 365, action: 'trash' })
    await runAll(async () => void (await trash.update(slug, last, { note: 'new' })))
    expect(await present()).toEqual([last])
  })

  test('keeps a record that something was attached to, or that was put into a list, after it was read', async () => {
    const ids = (await seed(DELETED_AT_ONCE + 10)).toSorted()
    const [entry = '', note = ''] = ids.slice(-2)
    const post = dataOf(service, 'POST')
    const list = `list_of_${slug}`
    await post('/lists', listInput({ name: list, api_slug: list, parent_object: slug }))
    await setRule(slug, { days: 365, action: 'delete' })
    let isFirst = true
    await runAll(async () => {
      if (!isFirst) return
      isFirst = false
      const of = (id: string) => ({ parent_object: slug, parent_record_id: id })
      await post('/notes', { ...of(note), title: 'New', format: 'plaintext', content: 'new' })
      await post(`/lists/${list}/entries`, { ...of(entry), entry_values: {} })
    })
    expect((await present()).toSorted()).toEqual([entry, note])
  })

  test('deletes nothing on a database that may be a copy', async () => {
    await seed(1)
    await setRule(slug, { days: 365, action: 'trash' })
    await holdSending(service)
    await runAll()
    expect(await present()).toHaveLength(1)
    await startAt(service, ORIGINAL)
    await runAll()
    expect(await present()).toEqual([])
  })

  test('ends a run whose rule is removed', async () => {
    const ids = await seed(DELETED_AT_ONCE + 10)
    await setRule(slug, { days: 365, action: 'trash' })
    await runAll(() => setRule(slug, null))
    expect(await present()).toHaveLength(ids.length - DELETED_AT_ONCE)
    expect(await service.db.sql`select 1 from relata.retention_rules`).toHaveLength(0)
  })

  test('tries again later when the database refuses, and deletes nothing in part', async () => {
    const ids = await seed(DELETED_AT_ONCE + 10)
    await setRule(slug, { days: 365, action: 'trash' })
    const { table } = getObject(await service.appContext.models.get(service.workspaceId), slug)
    await service.db.sql`create sequence deletions`
    const body = `if nextval('deletions') = ${DELETED_AT_ONCE + 5} then raise 'no room' using errcode = 'disk_full'; end if; return old;`
    await createTrigger(service.db, { name: 'full_disk', when: `before delete on ${table}`, body })
    await captureLog(() => runAll())
    expect(await present()).toHaveLength(ids.length - DELETED_AT_ONCE)
    await runAll()
    expect(await present()).toHaveLength(ids.length - DELETED_AT_ONCE)
    start += 601_000_000
    await runAll()
    start -= 601_000_000
    expect(await present()).toEqual([])
  })
})
