/** What is left of a person after an erasure: nothing in any table and any stored file. See docs/privacy.md. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createAccount } from '#access/accounts/accounts'
import { audit, auditAccount, COMMAND_LINE } from '#access/audit-log/audit'
import { deleteUnreferenced } from '#crm/blobs/blob-store'
import { beforeTransactions } from '#testing/before-transaction'
import { meetingClient } from '#testing/meetings'
import { callRecordingClient } from '#testing/call-recordings'
import { memberNamed } from '#testing/comments'
import { useTestService } from '#testing/use-service'
import { taskClient } from '#testing/tasks'
import { attributeInput } from '#testing/attributes'
import { trashClient } from '#testing/trash'
import { fillPerson, PERSON, publish, tablesWith, type WholePerson } from '#testing/whole-person'
import { allowAuditChange } from './stored-erasures'
import { erasePerson, type ErasureReport, previewErasure } from './erase-person'

const service = useTestService()
let filled: WholePerson
let preview: ErasureReport
let report: ErasureReport
beforeAll(async () => {
  filled = await fillPerson(service)
}, 60_000)

const options = (address: string = PERSON.address) => ({
  db: service.db,
  now: service.appContext.now,
  workspaceId: service.workspaceId,
  address,
  backups: undefined,
  auditActor: COMMAND_LINE,
})

/** The stored files that contain the text. */
function filesWith(text: string, folder = service.filesFolder): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) return filesWith(text, path)
    return readFileSync(path, 'latin1').toLowerCase().includes(text) ? [path] : []
  })
}

describe('an erasure', () => {
  test('has a preview that changes nothing', async () => {
    const before = await tablesWith(service, 'unmistakable')
    for (const table of [
      'notes',
      'tasks',
      'comments',
      'meetings',
      'emails',
      'email_texts',
      'call_recording_transcripts',
      'imports',
      'import_pieces',
      'jobs',
      'query_history',
      'saved_queries',
      'recent_requests',
      'scim_requests',
      'tool_calls',
      'audit_log',
      'invitations',
      'teams',
      'options',
      'views',
      'unsubscribed_emails',
      'files',
      'idempotent_answers',
    ])
      expect(before).toContain(`relata.${table}`)
    expect(before.some((table) => table.startsWith('relata.deliveries'))).toBe(true)
    for (const table of ['history', 'trash']) expect(before).toContain(`w_1.${table}`)
    expect(filesWith('unmistakable')).toHaveLength(1)
    preview = await previewErasure(options('Wilhelmina@Unmistakable.dev'))
    expect(preview).toMatchObject({
      addresses: [PERSON.address, PERSON.formerAddress],
      names: [PERSON.name],
      records: 1,
      trashed_records: 1,
      running_imports: 0,
      is_member: false,
      backups_end_at: null,
    })
    expect(preview.rows).toContainEqual({ table: 'object leads', rows: 1 })
    expect(preview.rows.map(({ table }) => table)).not.toContain('object people')
    expect(await tablesWith(service, 'unmistakable')).toEqual(before)
  })

  test('leaves no row and no file with the address or the name', async () => {
    report = await erasePerson(options())
    await publish(service)
    expect(await tablesWith(service, 'unmistakable')).toEqual([])
    expect(await tablesWith(service, 'wilhelmina')).toEqual([])
    await deleteUnreferenced(service.appContext, 0)
    expect(filesWith('unmistakable')).toEqual([])
    expect(report.records).toBe(1)
    expect((await trashClient(service).get('people', filled.person)).status).toBe(404)
  }, 60_000)

  test('reaches the records of a deleted object, which can still be restored', async () => {
    const { body } = await service.request('GET', '/v2/trash/objects')
    const [deleted] = body.data
    expect(deleted.api_slug).toBe('visits')
    expect((await service.request('POST', `/v2/objects/${deleted.id.object_id}/restore`)).status).toBe(200)
    const visit = await trashClient(service).values('visits', filled.visit)
    expect(visit.email).toEqual([])
    expect(visit.remark[0].value).toStartWith('Again Ask Erased person')
  })

  test('reaches the records of a deleted activity, which can still be restored', async () => {
    const restored = await service.request('POST', `/v2/activities/${filled.tourActivity}/restore`)
    expect(restored.status).toBe(200)
    const { body } = await service.request('POST', '/v2/activities/tours/records/query', {})
    expect(body.data[0].values.note[0].value).toStartWith('Ask Erased person')
  })

  test('keeps what is shared with others, under the name "Erased person"', async () => {
    const lead = await trashClient(service).values('leads', filled.lead)
    expect(lead.email).toEqual([])
    expect(lead.emails.map((each: { email_address: string }) => each.email_address)).toEqual(['grace@navy.mil'])
    expect(lead.remark[0].value).toBe('Again Ask Erased person <Erased person>,\nErased person or "Erased person".')
    expect(lead.code).toEqual([])
    const { body: note } = await service.request('GET', `/v2/notes/${filled.note}`)
    expect(note.data.title).toBe('About Erased person')
    expect(note.data.content_plaintext).toContain('Ask Erased person')
    expect((await taskClient(service).get(filled.task)).body.data.content_plaintext).toBe('Ask Erased person')
    const { body: comment } = await service.request('GET', `/v2/comments/${filled.comment}`)
    expect(comment.data.content_plaintext).toContain('Erased person')
    const meetings = meetingClient(service)
    const meeting = (await meetings.get(filled.meeting)).body.data
    expect(meeting.title).toBe('With Erased person')
    expect(meeting.participants.map((each: { email_address: string }) => each.email_address)).toEqual([
      'grace@navy.mil',
    ])
    const [recording] = (await callRecordingClient(service).list(filled.meeting)).body.data
    const found = (await callRecordingClient(service).transcript(filled.meeting, recording.id.call_recording_id)).body
      .data
    expect(found.transcript[0].speaker.name).toBe('Erased person')
    const { body: emails } = await service.request('GET', '/v2/emails?participants=grace@navy.mil')
    expect(emails.data).toHaveLength(2)
    const texts = await service.db.sql<{ text: string | null; attachments: string }[]>`
      select text, attachments from relata.email_texts order by sent_at`
    // The first one had the person among its participants.
    expect(texts.map(({ text }) => text)).toEqual([null, expect.stringContaining('Ask Erased person')])
    expect(texts.map(({ attachments }) => attachments)).toEqual(['[]', '[["Erased person.pdf", "application/pdf", 1]]'])
  })

  test('is in the audit log, without the address', async () => {
    const rows = await service.db.sql<{ subject_id: string | null; details: string }[]>`
      select subject_id, subject_name, details from relata.audit_log where action = 'person.erased'`
    expect(rows).toHaveLength(1)
    const details = JSON.parse(rows[0]?.details ?? '')
    expect(details).toMatchObject({
      address_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      records: 2,
      is_complete: true,
    })
    expect(rows[0]?.details).not.toContain('unmistakable')
  })

  test('changes nothing when it is repeated', async () => {
    const again = await erasePerson(options())
    expect(again).toMatchObject({ addresses: [PERSON.address], names: [], records: 0, rows: [] })
    expect(await service.db.sql`select 1 from relata.erasures`).toHaveLength(0)
  })
})

describe('the audit log', () => {
  const ID = '00000000-0000-4000-8000-000000000001'
  const MARK = 'audited@marked.dev'
  let other: string

  beforeAll(async () => {
    other = (await service.anotherWorkspace()).workspaceId
    const { db, workspaceId } = service
    for (const of of [workspaceId, other])
      await audit(db.sql, {
        ...COMMAND_LINE,
        workspaceId: of,
        action: 'x.made',
        subject: { type: 'x', id: 'x', name: MARK },
        details: { by: MARK, kept: 'kept' },
        now: 0,
      })
    await db.sql`
      insert into relata.erasures (workspace_id, id, terms, expression, begun_at)
      values (${workspaceId}, ${ID}, '{}', 'audited@marked[.]dev', now())`
  })
  afterAll(async () => {
    await service.db.sql`delete from relata.erasures`
  })

  /** Runs the statement as the erasure does. Returns the message of its error. */
  const run = (statement: string, erasure = ID) =>
    service.db.sql
      .begin(async (tx) => {
        await allowAuditChange(tx, erasure)
        await tx.unsafe(statement)
      })
      .then(
        () => undefined,
        (error: Error) => error.message,
      )

  test('refuses all but the replacement of the erased text, in the workspace, by the erasure', async () => {
    const { workspaceId } = service
    const own = `where workspace_id = '${workspaceId}' and action = 'x.made'`
    const replacement = `update relata.audit_log set subject_name = 'Erased person',
      details = '{"by": "Erased person", "kept": "kept"}' ${own}`
    for (const statement of [
      `update relata.audit_log set action = 'x.y' ${own}`,
      `update relata.audit_log set subject_name = null ${own}`,
      `update relata.audit_log set subject_name = 'Erased person' ${own}`,
      replacement.replace('"kept": "kept"', '"kept": "other"'),
      replacement.replace('set ', 'set created_at = now(), '),
      replacement.replace(workspaceId, other),
      `update relata.audit_log set subject_name = 'Erased person' where subject_name is distinct from '${MARK}'`,
      `delete from relata.audit_log ${own}`,
      'truncate relata.audit_log',
    ])
      expect([statement, await run(statement)]).toEqual([statement, 'Nothing in audit_log is ever changed or removed.'])
    for (const erasure of ['', '00000000-0000-4000-8000-000000000002'])
      expect(await run(replacement, erasure)).toEndWith('ever changed or removed.')
    expect(await run(replacement)).toBeUndefined()
  })
})

test('an erasure that was interrupted after the deletion of the record is ended by the next one', async () => {
  const trash = trashClient(service)
  const id = await trash.create('people', {
    name: 'Halfway, Hilda',
    email_addresses: ['hilda@halfway.dev', 'h@other-halfway.dev'],
  })
  const company = await trash.create('companies', { description: 'Hilda Halfway, h@other-halfway.dev' })
  const failing = {
    ...service.db,
    sql: new Proxy(service.db.sql, {
      get(target, member) {
        const isUsed = Reflect.get(target, member) as unknown
        if (member !== 'unsafe') return isUsed
        return (text: string, ...rest: unknown[]) => {
          if (text.includes('pg_attribute')) throw new Error('killed')
          return Reflect.apply(isUsed as () => unknown, target, [text, ...rest]) as unknown
        }
      },
    }),
  }
  const killed = erasePerson({ ...options('hilda@halfway.dev'), db: failing })
  expect(await killed.catch((error: Error) => error.message)).toBe('killed')
  expect((await trash.get('people', id)).status).toBe(404)
  expect(await tablesWith(service, 'halfway')).toContain('relata.erasures')
  const report = await erasePerson(options('hilda@halfway.dev'))
  expect(report.names).toEqual(['Hilda Halfway'])
  expect((await trash.values('companies', company)).description[0].value).toBe('Erased person, Erased person')
  expect(await tablesWith(service, 'halfway')).toEqual([])
})

test('two erasures at the same time, of two people and of one, leave nothing of them', async () => {
  const trash = trashClient(service)
  const [one, other] = ['olga@at-once.dev', 'otto@at-once.dev']
  await trash.create('people', { name: 'Atonce, Olga', email_addresses: [one] })
  await trash.create('people', { name: 'Atonce, Otto', email_addresses: [other] })
  const company = await trash.create('companies', { description: `Olga Atonce ${one}, Otto Atonce ${other}` })
  await Promise.all([one, other, other].map((address) => erasePerson(options(address))))
  await publish(service)
  expect((await trash.values('companies', company)).description[0].value).toBe(
    'Erased person Erased person, Erased person Erased person',
  )
  expect(await tablesWith(service, 'atonce')).toEqual([])
  expect(await tablesWith(service, 'at-once')).toEqual([])
})

test('an erasure goes on when the end of another one of the same person has deleted its terms', async () => {
  const trash = trashClient(service)
  await trash.create('people', { name: 'Twice, Tilda', email_addresses: ['tilda@twice-erased.dev'] })
  const subject = { type: 'x', id: 'x', name: 'tilda@twice-erased.dev' }
  const entry = { ...COMMAND_LINE, workspaceId: service.workspaceId, action: 'x.made', subject, now: 0 } as const
  const overtaken = new Proxy(service.db.sql, {
    get(target, member) {
      const found = Reflect.get(target, member) as unknown
      if (member !== 'unsafe') return found
      return async (text: string, ...rest: unknown[]) => {
        if (text.includes('pg_attribute')) {
          await erasePerson(options('tilda@twice-erased.dev'))
          await audit(service.db.sql, entry)
        }
        return Reflect.apply(found as typeof target.unsafe, target, [text, ...rest]) // the function of the driver
      }
    },
  })
  await erasePerson({ ...options('tilda@twice-erased.dev'), db: { ...service.db, sql: overtaken } })
  expect(await tablesWith(service, 'twice-erased')).toEqual([])
  expect(await service.db.sql`select from relata.erasures`).toHaveLength(0)
})

test('addresses and names that others have stay, and longer addresses and words', async () => {
  const trash = trashClient(service)
  await trash.create('people', { name: 'Common, Cora', email_addresses: ['cora@shared.dev', 'cora@own.dev'] })
  await trash.create('people', { name: 'Common, Cora', email_addresses: ['other-cora@shared.dev'] })
  const text = 'Cora Common: xcora@own.dev, cora@own.development, cora@own.dev.uk, cora@own.dev.'
  const company = await trash.create('companies', { description: text })
  const report = await erasePerson(options('cora@own.dev'))
  expect(report).toMatchObject({ names: [], shared_names: ['cora common'] })
  expect((await trash.values('companies', company)).description[0].value).toBe(
    'Cora Common: xcora@own.dev, cora@own.development, cora@own.dev.uk, Erased person.',
  )
})

test('the past address of another person leaves only the history', async () => {
  const trash = trashClient(service)
  const id = await trash.create('people', { name: 'Later, Lena', email_addresses: ['info@passed-on.dev'] })
  await service.request('PUT', `/v2/objects/people/records/${id}`, { data: { values: { email_addresses: [] } } })
  expect(await tablesWith(service, 'passed-on')).toContain('w_1.history')
  await erasePerson(options('info@passed-on.dev'))
  expect((await trash.get('people', id)).status).toBe(200)
  expect((await trash.values('people', id)).name[0].full_name).toBe('Lena Later')
  expect(await tablesWith(service, 'passed-on')).toEqual([])
})

describe('members', () => {
  test('409 for one who is not suspended, also in the preview', async () => {
    for (const run of [previewErasure, erasePerson])
      expect(await run(options(service.member.email_address)).catch((error) => [error.status, error.code])).toEqual([
        409,
        'person_is_member',
      ])
  })

  test('a suspended one keeps the row without name and address', async () => {
    const id = await memberNamed(service, 'former@suspended-member.dev', 'suspended')
    expect(await previewErasure(options('former@suspended-member.dev'))).toMatchObject({ is_member: true })
    const { db, workspaceId } = service
    await db.sql`
      insert into relata.record_followers select ${workspaceId}, id, gen_random_uuid(), ${id}, now() from relata.objects
      where workspace_id = ${workspaceId}`
    await erasePerson(options('former@suspended-member.dev'))
    expect(await tablesWith(service, 'suspended-member')).toEqual([])
    expect(await db.sql`select 1 from relata.record_followers where member_id = ${id}`).toHaveLength(0)
    const { body } = await service.request('GET', `/v2/workspace_members/${id}`)
    expect(body.data).toMatchObject({ first_name: 'Erased', last_name: 'person' })
  })

  test('a suspended one with another address to sign in with keeps neither', async () => {
    const { db, appContext, workspaceId } = service
    const id = await memberNamed(service, 'former@two-addresses.dev', 'suspended')
    const email_address = 'sign-in@two-addresses.dev'
    const account = await createAccount(db, { email_address, password: 'correct horse battery' }, appContext.now())
    const entry = { emailAddress: email_address, isOwner: true, address: null, now: appContext.now() }
    await auditAccount(db.sql, { ...entry, action: 'sign-in.failed' })
    await db.sql`update relata.workspace_members set account_id = ${account.id} where id = ${id}`
    await auditAccount(db.sql, { ...entry, action: 'sign-in.succeeded' })
    await erasePerson(options('former@two-addresses.dev'))
    expect(await tablesWith(service, 'two-addresses')).toEqual([])
    expect(
      await db.sql`select 1 from relata.audit_log where workspace_id = ${workspaceId} and account_id = ${account.id}`,
    ).toHaveLength(1)
  })
})

test('a list that is deleted after the tables were listed does not end an erasure or its preview', async () => {
  for (const run of [previewErasure, erasePerson]) {
    const list = { name: 'Short', api_slug: 'short', parent_object: 'people', workspace_access: 'full-access' }
    await service.request('POST', '/v2/lists', { data: { ...list, workspace_member_access: [] } })
    await service.request('POST', '/v2/lists/short/attributes', {
      data: attributeInput({ api_slug: 'remark', type: 'text' }),
    })
    const deleting = new Proxy(service.db.sql, {
      get(target, member) {
        const found = Reflect.get(target, member) as unknown
        if (member !== 'unsafe') return found
        return async (text: string, ...rest: unknown[]) => {
          const rows: unknown = await Reflect.apply(found as typeof target.unsafe, target, [text, ...rest]) // the function of the driver
          if (text.includes('pg_attribute')) await service.request('DELETE', '/v2/lists/short')
          return rows
        }
      },
    })
    const report = await run({ ...options('short@lived.dev'), db: { ...service.db, sql: deleting } })
    expect(report.records).toBe(0)
    expect((await service.request('GET', '/v2/lists/short')).status).toBe(404)
  }
})

test('400 for a text that is no email address', async () => {
  for (const text of ['', 'x', 'a b@c.de', `${'x'.repeat(2000)}@example.com`])
    expect(await previewErasure(options(text)).catch((error) => error.status)).toBe(400)
})

test('an erasure goes on when the data model changes before a record is deleted', async () => {
  const data = { values: { email_addresses: ['gilda@changed.dev'] } }
  const { body } = await service.request('POST', '/v2/objects/people/records', { data })
  const change = () => service.request('POST', '/v2/objects/companies/attributes', { data: attributeInput() })
  const sql = beforeTransactions(service.db.sql, 6, change)
  await erasePerson({ ...options('gilda@changed.dev'), db: { ...service.db, sql } })
  expect((await service.request('GET', `/v2/objects/people/records/${body.data.id.record_id}`)).status).toBe(404)
})
