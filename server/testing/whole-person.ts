/** Stores one person wherever a workspace can hold a person. The address and the name are in no other text. */

import { expect } from 'bun:test'
import { newId } from '#base/ids'
import { publishBatch } from '#events/feed/publish'
import { matchEvents } from '#events/webhooks/match/match-events'
import { attributeInput } from './attributes'
import { callRecordingClient, segment } from './call-recordings'
import { addEmails, emailFrom } from './emails'
import { fileClient } from './files'
import { importsOf } from './imports'
import { listInput } from './lists'
import { meetingClient, participant } from './meetings'
import { commentClient, onRecord } from './comments'
import { signedIn } from './people'
import type { TestService } from './service'
import { taskClient } from './tasks'
import { trashClient } from './trash'
import { dataOf } from './whole-workspace/data-of'

export const PERSON = {
  address: 'wilhelmina@unmistakable.dev',
  formerAddress: 'mina@unmistakable-former.dev',
  name: 'Wilhelmina Unmistakable',
} as const

const { address, formerAddress, name } = PERSON
/** A text with the forms in which texts name a person. */
const MENTION = `Ask ${name} <WILHELMINA@Unmistakable.dev>,\nwilhelmina@unmistakable.dev or "Unmistakable, Wilhelmina".`
const OTHER = 'grace@navy.mil'

export type WholePerson = Awaited<ReturnType<typeof fillPerson>>

export async function fillPerson(service: TestService) {
  const post = dataOf(service, 'POST')
  const subscriptions = [
    { event_type: 'record.created', filter: null },
    { event_type: 'record.updated', filter: null, include: ['values'] },
  ]
  await post('/webhooks', { target_url: 'https://example.com/hook', subscriptions })
  const trash = trashClient(service)
  const trashed = await trash.create('people', { name: 'Unmistakable, Wilhelmina', email_addresses: [address] })
  await trash.remove('people', trashed)
  const person = (
    await post('/objects/people/records', {
      values: { name: 'Unmistakable, Wilhelmina', email_addresses: [formerAddress] },
    })
  ).id.record_id
  await publish(service)
  const headers = { 'Idempotency-Key': 'person' }
  const data = { values: { email_addresses: [address, formerAddress], description: MENTION } }
  await service.request('PATCH', `/v2/objects/people/records/${person}`, { data }, { headers })
  const shared = await fillShared(service)
  await fillOwn(service, person)
  const meeting = await fillMeetings(service)
  await fillTables(service, shared.company)
  await publish(service)
  return { person, trashed, meeting, ...shared }
}

/** Publishes the outbox and makes the deliveries. */
export async function publish({ db, appContext }: TestService): Promise<void> {
  while ((await publishBatch(db, appContext.now, (tx, events) => matchEvents(tx, events))) > 0);
}

/** What belongs to the record of the person. */
async function fillOwn(service: TestService, person: string): Promise<void> {
  const post = dataOf(service, 'POST')
  const of = { parent_object: 'people', parent_record_id: person }
  await post('/notes', { ...of, title: name, format: 'markdown', content: MENTION })
  await commentClient(service).comment(onRecord(person), { content: MENTION })
  await fileClient(service).file(person, { name: `${name}.txt`, content: MENTION })
  await post('/lists', listInput({ name: 'Candidates', api_slug: 'candidates', parent_object: 'people' }))
  await post('/lists/candidates/attributes', attributeInput({ api_slug: 'remark', type: 'text' }))
  await post('/lists/candidates/entries', { ...of, entry_values: { remark: MENTION } })
  const linked_records = [{ target_object: 'people', target_record_id: person }]
  await taskClient(service).task({ content: `Call ${name}`, linked_records })
}

/** Records, notes and tasks that only name the person, and records of another object that have the address. */
async function fillShared(service: TestService) {
  const post = dataOf(service, 'POST')
  const trash = trashClient(service)
  await post('/objects', { api_slug: 'leads', singular_noun: 'Lead', plural_noun: 'Leads' })
  for (const [api_slug, type, more] of [
    ['email', 'email-address', {}],
    ['emails', 'email-address', { is_multiselect: true }],
    ['remark', 'text', {}],
    ['code', 'text', { is_unique: true }],
  ] as const)
    await post('/objects/leads/attributes', attributeInput({ api_slug, type, ...more }))
  const lead = await trash.create('leads', {
    email: address,
    emails: [OTHER, address],
    remark: MENTION,
    code: address,
  })
  await trash.update('leads', lead, { remark: `Again ${MENTION}` })
  const trashedLead = await trash.create('leads', { email: formerAddress })
  await trash.remove('leads', trashedLead)
  await post('/objects', { api_slug: 'visits', singular_noun: 'Visit', plural_noun: 'Visits' })
  for (const [api_slug, type] of [
    ['email', 'email-address'],
    ['remark', 'text'],
  ] as const)
    await post('/objects/visits/attributes', attributeInput({ api_slug, type }))
  const visit = await trash.create('visits', { email: address, remark: MENTION })
  await trash.update('visits', visit, { remark: `Again ${MENTION}` })
  await service.request('DELETE', '/v2/objects/visits')
  await post('/activities/phone_calls/records', { values: { note: MENTION } })
  const tours = { api_slug: 'tours', singular_noun: 'Tour', plural_noun: 'Tours', extends: 'activities' }
  const { activity_id: tourActivity } = (await post('/activities', tours)).id
  await post('/activities/tours/records', { values: { note: MENTION } })
  await service.request('DELETE', '/v2/activities/tours')
  const company = await trash.create('companies', { name: 'Acme', description: MENTION })
  const of = { parent_object: 'companies', parent_record_id: company }
  const note = (await post('/notes', { ...of, title: `About ${name}`, format: 'markdown', content: MENTION })).id
    .note_id
  const task = await taskClient(service).task({ content: `Ask ${address}` })
  const comment = await commentClient(service).comment(onRecord(company, 'companies'), { content: MENTION })
  return {
    lead,
    trashedLead,
    visit,
    tourActivity: tourActivity as string,
    company,
    note,
    task,
    comment: comment.id.comment_id as string,
  }
}

async function fillMeetings(service: TestService): Promise<string> {
  const participants = [participant(address, { name }), participant(OTHER)]
  const meeting = await meetingClient(service).meeting({ title: `With ${name}`, description: MENTION, participants })
  const transcript = [segment(0, name, MENTION.replaceAll('\n', ' ')), segment(1, 'Grace', 'Thank you')]
  await callRecordingClient(service).recording(meeting, { transcript })
  const member = service.member.email_address
  await addEmails(service, [
    emailFrom(address, '2026-01-01T10:00:00Z', [member], 'Alone'),
    emailFrom(OTHER, '2026-01-02T10:00:00Z', [formerAddress, member], `Together with ${name}`),
    emailFrom(OTHER, '2026-01-03T10:00:00Z', [member], 'A text alone'),
  ])
  await service.db
    .sql`insert into relata.email_texts (workspace_id, email_id, mailbox_id, sent_at, read_at, text, attachments)
    select workspace_id, id, mailbox_id, sent_at, sent_at, ${MENTION}, ${JSON.stringify([[`${name}.pdf`, 'application/pdf', 1]])}::text::jsonb
    from relata.emails where subject_line <> 'Alone'`
  return meeting
}

/** Imports, views, queries and logs. */
async function fillTables(service: TestService, company: string): Promise<void> {
  const { db, workspaceId, member, appContext } = service
  const { sql } = db
  const admin = await signedIn(service)
  const imports = importsOf(service, admin)
  await imports.begin(`Company,Founded\nNew,by ${address}`, { Founded: 'foundation_date' })
  await imports.runAll()
  expect((await imports.upload(`Company,Description\nOther,${address}`)).status).toBeLessThan(300)
  const post = dataOf(service, 'POST')
  const filter = { email_addresses: { email_address: { $eq: address } } }
  await post('/objects/people/views', { title: name, type: 'table', filter })
  await post('/objects/companies/attributes', attributeInput({ api_slug: 'referred_by', type: 'select' }))
  await post('/objects/companies/attributes/referred_by/options', { title: name })
  await service.request('POST', '/v2/sequences/unsubscribed_emails', { data: { email_addresses: [address] } })
  await post('/objects/companies/records/bulk', {
    filter: { name },
    operation: { op: 'update', values: { description: name } },
  })
  const at = '2026-01-01T00:00:00Z'
  const model = await appContext.models.reload(workspaceId)
  const of = [workspaceId, member.id] as const
  await sql`insert into relata.query_history (workspace_id, member_id, id, sql, ran_at, duration_ms, row_count)
    values (${of[0]}, ${of[1]}, ${newId()}, ${`select * from people where email = '${address}'`}, ${at}, 1, 1)`
  await sql`insert into relata.saved_queries (workspace_id, id, name, sql, member_id, created_at, updated_at)
    values (${workspaceId}, ${newId()}, ${name}, ${`select '${address}'`}, ${member.id}, ${at}, ${at})`
  await sql`insert into relata.scim_requests (workspace_id, id, method, path, status, detail, user_agent, duration_ms, created_at)
    values (${workspaceId}, ${newId()}, 'GET', '/Users?filter=userName%20eq%20%22wilhelmina%40unmistakable.dev%22', 200, ${name}, null, 1, ${at})`
  const ignored = `/data/${encodeURIComponent(address)}`
  const request = [0, newId(), 'POST', '/v2/tasks', 200, 1, null, ignored]
  await sql`insert into relata.recent_requests (workspace_id, created_at, id, count, requests)
    values (${workspaceId}, ${at}, ${newId()}, 1, ${JSON.stringify([request])})`
  await sql`insert into relata.tool_calls (workspace_id, created_at, id, actor, tool, subject, subject_id, status, duration_ms)
    select ${workspaceId}, ${at}, ${newId()}, min(number), 'search', ${name}, ${company}, 200, 1
    from relata.actors where workspace_id = ${workspaceId}`
  await sql`insert into relata.audit_log (id, workspace_id, action, subject_type, subject_name, details, created_at)
    values (${newId()}, ${workspaceId}, 'invitation.created', 'invitation', ${address}, ${JSON.stringify({ email: address })}::text::jsonb, ${at})`
  await sql`insert into relata.invitations (workspace_id, id, email_address, access_level, token_hash, invited_by_workspace_member_id, created_at, expires_at)
    values (${workspaceId}, ${newId()}, ${address}, 'member', ${Buffer.from('hash')}, ${member.id}, ${at}, ${at})`
  await sql`insert into relata.teams (workspace_id, id, name, created_at, updated_at) values (${workspaceId}, ${newId()}, ${`Friends of ${name}`}, ${at}, ${at})`
  expect(model.version).toBeGreaterThan(0)
}

/** The tables with a row that contains the text, also in hexadecimal digits. */
export async function tablesWith({ db }: Pick<TestService, 'db'>, text: string): Promise<string[]> {
  const tables = await db.sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
  const hex = Buffer.from(text).toString('hex')
  const found: string[] = []
  for (const { name: table } of tables) {
    const rows = await db.sql.unsafe(
      `select 1 from ${table} t where strpos(lower(t::text), $1) > 0 or strpos(t::text, $2) > 0 limit 1`,
      [text, hex],
    )
    if (rows.length > 0) found.push(table)
  }
  return found.toSorted()
}
