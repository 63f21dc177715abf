/** The commands about people. What an export contains is tested here, what an erasure leaves beside `erase-person.ts`. */

import { savePicture, storeUpload } from '#crm/record-pictures/store'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Micros } from '#base/timing/clock'
import { insertEmailLinks } from '#crm/mailboxes/email-links'
import { insertEmails, openMailbox } from '#crm/mailboxes/insert-emails'
import type { Member } from '#engine/data-model/model'
import { emailFrom } from '#testing/emails'
import { addSendingAccount } from '#testing/sending-account'
import { testService, type TestService } from '#testing/service'
import { fillPerson, PERSON } from '#testing/whole-person'
import { signedIn } from '#testing/people'
import { personErase, personExport } from './person'

const BACKUPS = { place: '/backups', every: 86_400_000_000, retention: { count: 14 } }

let service: TestService
let folder: string
let now: Micros
beforeAll(async () => {
  service = await testService()
  now = service.appContext.now()
  folder = mkdtempSync(join(tmpdir(), 'relata-person-'))
  await fillPerson(service)
}, 60_000)
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service.close()
})

function contextOf(lines: string[]) {
  const { db, appContext } = service
  const print = (line: string) => void lines.push(line)
  return { db, now: () => now, blobs: appContext.blobs, baseUrl: 'https://crm.example', backups: BACKUPS, print }
}

async function exportTo(name: string, address: string = PERSON.address): Promise<string[]> {
  const lines: string[] = []
  const options = { to: join(folder, name), workspace: 'workspace-1' }
  expect(await personExport.run({ options, positionals: [address] }, contextOf(lines))).toBeUndefined()
  return lines
}

async function erase(address: string, flags: { readonly yes?: boolean; readonly 'dry-run'?: boolean } = {}) {
  const lines: string[] = []
  const options = { yes: false, 'dry-run': false, workspace: 'workspace-1', ...flags }
  const code = await personErase.run({ options, positionals: [address] }, contextOf(lines))
  return { code: code ?? 0, text: lines.join('\n') }
}

const linesOf = (name: string, file: string) =>
  readFileSync(join(folder, name, `${file}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('person export', () => {
  test('writes everything that names the person, a file for each kind', async () => {
    const printed = await exportTo('whole')
    const kinds = readdirSync(join(folder, 'whole')).toSorted()
    for (const kind of [
      'records-people',
      'records-leads',
      'records-companies',
      'entries-candidates',
      'trash',
      'history',
      'notes',
      'tasks',
      'threads',
      'comments',
      'meetings',
      'meeting-participations',
      'call-recordings',
      'transcripts',
      'emails',
      'email-texts',
      'files',
      'events',
      'webhook-deliveries',
      'audit-log',
      'invitations',
      'unsubscriptions',
      'import-problems',
      'jobs',
      'views',
      'sql-queries',
      'saved-queries',
      'assistant-calls',
      'scim-requests',
    ])
      expect(kinds).toContain(`${kind}.jsonl`)
    expect(printed).toContain('tasks.jsonl: 2')
    const [person] = linesOf('whole', 'records-people')
    expect(person.values.name[0].full_name).toBe(PERSON.name)
    expect(person.web_url).toStartWith('https://crm.example/')
    expect(linesOf('whole', 'trash').map(({ values }) => Object.keys(values).length > 0)).toEqual([true, true])
    // One of a lead, and one of a record of a deleted object.
    expect(linesOf('whole', 'history').map(({ attribute }) => attribute)).toEqual(['remark', 'remark'])
    expect(linesOf('whole', 'emails')).toHaveLength(2)
    expect(linesOf('whole', 'email-texts').map(({ text }) => text.includes(PERSON.name))).toEqual([true, true])
    expect(linesOf('whole', 'notes')).toHaveLength(2)
    expect(readFileSync(join(folder, 'whole', 'README.txt'), 'utf8')).toContain('notes.jsonl: 2')
    const [file = ''] = readdirSync(join(folder, 'whole', 'files'))
    expect(readFileSync(join(folder, 'whole', 'files', file), 'utf8')).toStartWith(`Ask ${PERSON.name}`)
  })

  test('has the picture of the person, as it is stored', async () => {
    const { db, workspaceId, appContext } = service
    const [person] = linesOf('whole', 'records-people')
    const bytes = Buffer.from('a picture')
    const digest = await savePicture(appContext.blobs, workspaceId, bytes)
    const key = { workspaceId, objectId: person.id.object_id }
    await db.sql.begin((tx) => storeUpload(tx, key, person.id.record_id, digest))
    await exportTo('picture')
    const name = readdirSync(join(folder, 'picture', 'files')).find((file) => file.endsWith('picture.webp')) ?? ''
    expect(readFileSync(join(folder, 'picture', 'files', name))).toEqual(bytes)
  })

  test('has emails that were sent from a record of the person, to whomever', async () => {
    const { db, workspaceId, member, appContext, request } = service
    const values = { email_addresses: ['written@about.dev'] }
    const { body } = await request('POST', '/v2/objects/people/records', { data: { values } })
    const { object_id: objectId, record_id: recordId } = body.data.id
    const accountId = await addSendingAccount(service, member.id)
    const found = (await appContext.models.reload(workspaceId)).membersById.get(member.id)
    const mailbox = await openMailbox(db, workspaceId, found as Member, now, accountId) // the member exists
    const email = emailFrom('ada@lovelace.org', '2026-01-03T10:00:00Z', ['grace@navy.mil'], 'About her')
    await insertEmails(db.sql, mailbox, [email])
    const linked = { workspaceId, accountId, messageKey: email.messageKey, links: [{ objectId, recordId }] }
    await db.sql.begin((tx) => insertEmailLinks(tx, linked, now))
    await exportTo('written', 'written@about.dev')
    expect(linesOf('written', 'emails').map(({ subject_line }) => subject_line)).toEqual(['About her'])
  })

  test('has account, sessions and tokens of a member, without secrets', async () => {
    const person = await signedIn(service)
    await exportTo('member', person.email_address)
    const [member] = linesOf('member', 'member')
    expect(member.email_address).toBe(person.email_address)
    const text = ['account', 'account-sessions'].map((name) => JSON.stringify(linesOf('member', name))).join('')
    expect(text).toContain('Test browser')
    expect(text).not.toMatch(/hash/)
  })

  test('of an unknown address has only the README; it leaves an audit entry without the address', async () => {
    await exportTo('unknown', 'unknown@absent.dev')
    expect(readdirSync(join(folder, 'unknown'))).toEqual(['README.txt'])
    const entries = await service.db.sql<{ details: string }[]>`
      select details from relata.audit_log where action = 'person.exported'`
    expect(entries.length).toBeGreaterThan(0)
    expect(JSON.stringify(entries)).not.toContain('absent.dev')
  })

  test('refuses a text that is no address, and a folder that has files or cannot be made', async () => {
    expect(exportTo('wrong', 'nobody')).rejects.toThrow('"nobody" is not an email address.')
    expect(exportTo('whole')).rejects.toThrow('is not empty')
    writeFileSync(join(folder, 'plain'), '')
    expect(exportTo('plain/inner')).rejects.toThrow('cannot be written')
  })
})

describe('person erase', () => {
  test('shows what it would do, and does it with --yes', async () => {
    const shown = await erase(PERSON.address)
    expect(shown.text).toContain('Records of people: 1, in the trash: 1')
    expect(shown.text).toContain('Nothing was changed.')
    expect((await erase(PERSON.address, { 'dry-run': true })).text).toBe(shown.text)
    const done = await erase(PERSON.address, { yes: true })
    expect([done.code, done.text.includes('Erased from the workspace workspace-1.')]).toEqual([0, true])
    expect(done.text).toContain('Scheduled backups that have the person are removed on 2')
    expect((await erase(PERSON.address)).text).toContain('Records of people: 0, in the trash: 0')
  })

  test('refuses both flags, a member and a text that is no address', async () => {
    expect(erase(PERSON.address, { yes: true, 'dry-run': true })).rejects.toThrow('exclude each other')
    expect(erase(service.member.email_address, { yes: true })).rejects.toThrow('Suspend the member first')
    expect(erase('nobody')).rejects.toThrow('is not an email address')
  })
})
