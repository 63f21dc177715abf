/** Sends each write with `dry_run=true`, compares the whole database before and after, and then sends it without. */

import { beforeAll, expect, test } from 'bun:test'
import { attributeInput } from '#testing/attributes'
import { segment } from '#testing/call-recordings'
import { addEmails, emailFrom } from '#testing/emails'
import { addSendingAccount } from '#testing/sending-account'
import { sendUpload } from '#testing/files'
import { listInput } from '#testing/lists'
import { meetingInput } from '#testing/meetings'
import { allOperations, isRead, type Operation } from '#testing/operations'
import { taskInput } from '#testing/tasks'
import { useTestService } from '#testing/use-service'

const service = useTestService()
let writes: Operation[]
const covered = new Set<string>()
beforeAll(async () => {
  writes = (await allOperations(service)).filter((operation) => !isRead(operation))
})

/** The digests of the rows of all tables, by table. Apart from the time of the last use of a key, which is written later. */
async function snapshot(): Promise<Record<string, string>> {
  const rows = await service.db.sql<{ name: string; digest: string }[]>`
    select format('%I.%I', n.nspname, c.relname) as name, (xpath('/row/digest/text()', query_to_xml(format(
      'select md5(coalesce(string_agg((to_jsonb(t) - ''last_used_at'')::text, '' '' order by to_jsonb(t)::text), '''')) as digest from %I.%I t',
      n.nspname, c.relname), false, true, '')))[1]::text as digest
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname !~ '^(pg_|information_schema)' and c.relname <> 'outbox_writers' order by 1`
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
}

/** A body in which ids, times and secrets are replaced. */
const inShape = (body: unknown): string =>
  JSON.stringify(body)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[^"]*/g, 'time')
    .replaceAll(/"(?:secret|url|target_url|token)":"[^"]*"/g, 'secret')

const matchesTemplate = (template: string, path: string) =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.split('?')[0] ?? '')

/** Returns the data of the answer without `dry_run`. */
async function write(method: string, path: string, body?: unknown, key?: string) {
  const operation = writes.find((each) => each.method === method && matchesTemplate(each.template, path))
  covered.add(operation?.id ?? path)
  const headers = { 'Idempotency-Key': 'dry' }
  const send = (to: string, options = {}) =>
    body instanceof Map
      ? sendUpload((...[, , bytes, { headers } = {}]) => service.request(method, to, bytes, { headers }), {
          texts: Object.fromEntries(body),
        })
      : service.request(method, to, body, { ...options, ...(key === undefined ? {} : { key }) })
  const before = await snapshot()
  const dryPath = `${path}${path.includes('?') ? '&' : '?'}dry_run=true`
  const dry = await send(dryPath, { headers })
  expect([method, path, dry.headers.get('Dry-Run'), await snapshot()]).toEqual([method, path, 'true', before])
  const real = await send(path)
  expect([method, path, real.body.message]).toEqual([method, path, undefined])
  expect([method, path, dry.status, inShape(dry.body)]).toEqual([method, path, real.status, inShape(real.body)])
  return real.body.data
}

const people = '/v2/objects/people/records'
let person: string
let other: string

test('changes of objects', async () => {
  await write('POST', '/v2/objects', { data: { api_slug: 'things', singular_noun: 'Thing', plural_noun: 'Things' } })
  await changeAttributes('/v2/objects/things')
  await write('PATCH', '/v2/objects/things', { data: { singular_noun: 'Item' } })
  // The dry run of a deletion counts what it would delete. See objects/delete.test.ts.
  covered.add('deleteObject')
  const { id } = (await service.request('GET', '/v2/objects/things')).body.data
  await service.request('DELETE', '/v2/objects/things')
  await write('POST', `/v2/objects/${id.object_id}/restore`)
  await service.request('DELETE', '/v2/objects/things')
}, 20_000)

test('changes of lists', async () => {
  const list = `/v2/lists/${(await write('POST', '/v2/lists', { data: listInput() })).api_slug}`
  await changeAttributes(list)
  await write('PATCH', list, { data: { name: 'Renamed' } })
  await write('DELETE', list)
}, 20_000)

test('changes of activities and of their records', async () => {
  const visits = { api_slug: 'visits', singular_noun: 'Visit', plural_noun: 'Visits', extends: 'activities' }
  await write('POST', '/v2/activities', { data: visits })
  await changeAttributes('/v2/activities/visits')
  await write('PATCH', '/v2/activities/visits', { data: { singular_noun: 'Call' } })
  await service.request('POST', '/v2/activities/visits/attributes', {
    data: attributeInput({ api_slug: 'code', type: 'text', is_unique: true }),
  })
  const records = '/v2/activities/visits/records'
  const { id } = await write('POST', records, { data: { values: { note: 'x' } } })
  const visit = `${records}/${id.record_id}`
  await write('PUT', `${records}?matching_attribute=code`, { data: { values: { code: 'a' } } })
  for (const method of ['PATCH', 'PUT']) await write(method, visit, { data: { values: { note: method } } })
  await write('PUT', `${visit}/attributes/note/values`, {
    data: { values: [{ value: 'x', active_from: '2020-01-01T00:00:00Z', active_until: null }], replace_history: true },
  })
  await write('POST', `${records}/batch`, { data: { operations: [{ op: 'create', values: {} }] } })
  await write('POST', `${records}/bulk`, { data: { filter: {}, operation: { op: 'update', values: { note: 'y' } } } })
  await write('DELETE', visit)
  await write('POST', `${visit}/restore`)
  // The dry run of a deletion counts what it would delete. See activities/deletion.test.ts.
  covered.add('deleteActivity')
  const visitsId = (await service.request('GET', '/v2/activities/visits')).body.data.id.activity_id
  await service.request('DELETE', '/v2/activities/visits')
  await write('POST', `/v2/activities/${visitsId}/restore`)
  await service.request('DELETE', '/v2/activities/visits')
}, 20_000)

async function changeAttributes(of: string): Promise<void> {
  for (const [api_slug, type, kind] of [
    ['tag', 'select', 'options'],
    ['stage', 'status', 'statuses'],
  ] as const) {
    await write('POST', `${of}/attributes`, { data: attributeInput({ api_slug, type, title: type }) })
    const { id } = await write('POST', `${of}/attributes/${api_slug}/${kind}`, { data: { title: 'New' } })
    const own = id.option_id ?? id.status_id
    await write('PATCH', `${of}/attributes/${api_slug}/${kind}/${own}`, { data: { title: 'Old' } })
  }
  await write('PATCH', `${of}/attributes/tag`, { data: { title: 'Label' } })
  await write('DELETE', `${of}/attributes/tag`)
  const { id } = await write('POST', `${of}/views`, { data: { title: 'All', type: 'table' } })
  await write('PATCH', `${of}/views/${id.view_id}`, { data: { title: 'Every' } })
  await write('DELETE', `${of}/views/${id.view_id}`)
}

test('records and entries', async () => {
  const values = { email_addresses: ['a@example.com'] }
  person = (await write('POST', people, { data: { values } })).id.record_id
  await write('PUT', `${people}?matching_attribute=email_addresses`, { data: { values } })
  const created = await write('PUT', `${people}?matching_attribute=email_addresses`, {
    data: { values: { email_addresses: ['b@example.com'] } },
  })
  for (const method of ['PATCH', 'PUT']) {
    await write(method, `${people}/${person}`, { data: { values: { job_title: method } } })
  }
  await write('PUT', `${people}/${person}/attributes/job_title/values`, {
    data: { values: [{ value: 'x', active_from: '2020-01-01T00:00:00Z', active_until: null }], replace_history: true },
  })
  const create = { op: 'create', values: {} }
  for (const atomic of [true, false]) {
    const { results } = await write('POST', `${people}/batch`, { data: { atomic, operations: [create, create] } })
    other = results[0].data.id.record_id
  }
  const operation = { op: 'update', values: { job_title: 'new' } }
  const job = await write('POST', `${people}/bulk`, { data: { filter: { job_title: 'PUT' }, operation } })
  await write('POST', `/v2/jobs/${job.id.job_id}/cancel`)
  await write('POST', `/v2/jobs/${job.id.job_id}/undo`)
  await write('DELETE', `${people}/${created.id.record_id}`)
  await write('POST', `${people}/${created.id.record_id}/restore`)
  await write('DELETE', `${people}/${created.id.record_id}?permanent=true`)
  const list = `/v2/lists/${(await service.request('POST', '/v2/lists', { data: listInput() })).body.data.api_slug}`
  await service.request('POST', `${list}/attributes`, { data: attributeInput({ api_slug: 'note' }) })
  const parent = { parent_object: 'people', parent_record_id: person, entry_values: { note: 'x' } }
  const entry = (await write('POST', `${list}/entries`, { data: parent })).id.entry_id
  await write('PUT', `${list}/entries`, { data: { ...parent, entry_values: { note: 'y' } } })
  await write('PATCH', `${list}/entries/${entry}`, { data: { entry_values: { note: 'z' } } })
  await write('PUT', `${list}/entries/${entry}`, { data: { entry_values: { note: 'a' } } })
  await write('PUT', `${list}/entries/${entry}/attributes/note/values`, {
    data: { values: [{ value: 'x', active_from: '2020-01-01T00:00:00Z', active_until: null }], replace_history: true },
  })
  await write('POST', `${list}/entries/batch`, { data: { operations: [{ op: 'create', ...parent }] } })
  await write('POST', `${list}/entries/bulk`, { data: { filter: {}, operation: { op: 'delete' } } })
  await write('DELETE', `${list}/entries/${entry}`)
  const merge = { primary_record_id: person, secondary_record_id: other }
  person = (await write('POST', `${people}/merge`, { data: merge })).new_record_id
}, 20_000)

test('what belongs to records', async () => {
  const of = { parent_object: 'people', parent_record_id: person }
  const note = await write('POST', '/v2/notes', { data: { ...of, title: 'x', format: 'plaintext', content: 'x' } })
  await write('PATCH', `/v2/notes/${note.id.note_id}`, { data: { title: 'y' } })
  await write('DELETE', `/v2/notes/${note.id.note_id}`)
  const author = { type: 'workspace-member', id: service.member.id }
  const { id } = await write('POST', '/v2/comments', {
    data: { format: 'plaintext', content: 'x', author, record: { object: 'people', record_id: person } },
  })
  await write('PATCH', `/v2/comments/${id.comment_id}`, { data: { is_resolved: true } })
  await write('DELETE', `/v2/comments/${id.comment_id}`)
  await write('POST', '/v2/sequences/unsubscribed_emails', { data: { email_addresses: ['x@example.com'] } })
  const task = await write('POST', '/v2/tasks', { data: taskInput() })
  await write('PATCH', `/v2/tasks/${task.id.task_id}`, { data: { is_completed: true } })
  await write('DELETE', `/v2/tasks/${task.id.task_id}`)
  await write('POST', '/v2/files', { object: 'people', record_id: person, file_type: 'folder', name: 'x' })
  const upload = new Map(Object.entries({ object: 'people', record_id: person }))
  const file = await write('POST', '/v2/files/upload', upload)
  await write('DELETE', `/v2/files/${file.id.file_id}`)
  const meeting = `/v2/meetings/${(await write('POST', '/v2/meetings', { data: meetingInput() })).id.meeting_id}`
  await write('PATCH', meeting, { data: { title: 'x' } })
  await write('PUT', meeting, { data: { linked_records: [] } })
  const recording = await write('POST', `${meeting}/call_recordings`, { data: { transcript: [segment(0)] } })
  await write('DELETE', `${meeting}/call_recordings/${recording.id.call_recording_id}`)
  await write('DELETE', meeting)
  await addEmails(service, [emailFrom('x@example.com', '2026-01-01T00:00:00Z')])
  const { body: emails } = await service.request('GET', '/v2/emails')
  await write('DELETE', `/v2/emails/${emails.data[0].id.email_id}`)
}, 20_000)

test('webhooks and test endpoints', async () => {
  const target_url = 'https://example.com/hook'
  const subscriptions = [{ event_type: 'note.created', filter: null }]
  const webhook = `/v2/webhooks/${(await write('POST', '/v2/webhooks', { data: { target_url, subscriptions } })).id.webhook_id}`
  await write('PATCH', webhook, { data: { target_url: `${target_url}/2` } })
  await write('POST', `${webhook}/rotate-secret`, {})
  await write('POST', `${webhook}/test`, { data: { event_type: 'note.created' } })
  const { body } = await service.request('GET', `${webhook}/deliveries`)
  await service.db.sql`update relata.deliveries set status = 'failed', finished_at = now()`
  await write('POST', `${webhook}/deliveries/${body.data[0].delivery_id}/redeliver`)
  await write('POST', `${webhook}/replay`, { data: { from: '2020-01-01T00:00:00Z' } })
  await write('DELETE', webhook)
  const endpoint = `/v2/test_endpoints/${(await write('POST', '/v2/test_endpoints', { data: {} })).test_endpoint_id}`
  await write('PATCH', endpoint, { data: { status: 500 } })
  await write('DELETE', endpoint)
}, 20_000)

test('emails that a member sends', async () => {
  await addSendingAccount(service, service.member.id)
  const key = await service.memberKeyWith(['email:read-write'])
  const email = { to: ['grace@navy.mil'], subject: 'Hello', text: 'Dear Grace' }
  const { id } = await write('POST', '/v2/emails/send', { data: email }, key)
  await write('DELETE', `/v2/emails/sent/${id.sent_email_id}`, undefined, key)
  const template = { name: 'Hello', object: 'people', subject: 'Hello', text: 'Dear {{first_name}}' }
  const { id: made } = await write('POST', '/v2/emails/templates', { data: template })
  await write('PATCH', `/v2/emails/templates/${made.template_id}`, { data: { name: 'Another' } })
  await write('DELETE', `/v2/emails/templates/${made.template_id}`)
}, 20_000)

test('dashboards', async () => {
  const place = { column: 0, row: 0, width: 6, height: 4 }
  const chart = { title: 'People', kind: 'figure', source: { object: 'people' }, place }
  const { id } = await write('POST', '/v2/dashboards', { data: { title: 'Sales', charts: [chart] } })
  await write('PATCH', `/v2/dashboards/${id.dashboard_id}`, { data: { title: 'Another' } })
  const path = `/v2/dashboards/${id.dashboard_id}`
  const schedule = { workspace_member_id: service.member.id, frequency: 'daily', hour: 8, time_zone: 'UTC' }
  const made = await write('POST', `${path}/schedules`, { data: schedule })
  await write('PATCH', `${path}/schedules/${made.id.schedule_id}`, { data: { hour: 9 } })
  await write('DELETE', `${path}/schedules/${made.id.schedule_id}`)
  await write('DELETE', path)
}, 20_000)

test('every operation was sent', () => {
  expect(writes.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([])
})

test('a dry run is refused as the write would be, and other values of the parameter are refused', async () => {
  const send = (query: string, values: object) => service.request('POST', `${people}${query}`, { data: { values } })
  const dry = await send('?dry_run=true', { job_title: 5 })
  expect([dry.body, dry.headers.get('Dry-Run')]).toEqual([(await send('', { job_title: 5 })).body, 'true'])
  expect((await send('?dry_run=yes', {})).body.validation_errors[0].path).toEqual(['dry_run'])
  expect((await send('?dry%5Frun=true', {})).headers.get('Dry-Run')).toBe('true')
  expect((await send('?dry_run=false', {})).headers.get('Dry-Run')).toBeNull()
})
