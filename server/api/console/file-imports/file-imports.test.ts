import { describe, expect, test } from 'bun:test'
import { captureLog } from '#testing/captured-log'
import { mboxOf, threadMessage } from '#testing/mailbox-file'
import type { Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { until } from '#testing/until'
import { leaseFileImport } from './routes'
import type { FileImportProgress } from './schemas'

const service = useTestService()
const admin = usePerson(service)
const member = usePerson(service, 'member')

const pathOf = (query: Readonly<Record<string, string>>, workspace = service.workspaceId) =>
  `/console/api/workspaces/${workspace}/file-imports?${new URLSearchParams(query)}`

const send = (who: Person, query: Readonly<Record<string, string>>, body: string | Uint8Array) =>
  who.ask('POST', pathOf(query), body)

/** The last line of a successful answer, with the problems of all lines. */
async function imported(
  who: Person,
  query: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): Promise<FileImportProgress> {
  const { status, body: text } = await send(who, query, body)
  expect(status).toBe(200)
  const lines: FileImportProgress[] = text
    .trim()
    .split('\n')
    .map((line: string) => JSON.parse(line))
  return { ...(lines.at(-1) as FileImportProgress), problems: lines.flatMap(({ problems }) => problems) } // at least one line
}

const idOf = (person: Person): string => person.memberIds[service.workspaceId] ?? ''

const message = (sender: string, id: string) =>
  `From: ${sender}\r\nTo: someone@outside.org\r\nDate: Thu, 1 Jan 2026 00:00:00 +0000\r\nMessage-ID: <${id}>\r\n\r\nbody\r\n`

const event = (uid: string, ...lines: string[]) =>
  ['BEGIN:VEVENT', `UID:${uid}`, `SUMMARY:${uid}`, 'DTSTART:20260105T100000Z', ...lines, 'END:VEVENT'].join('\r\n')

const calendar = (...events: string[]) => ['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR', ''].join('\r\n')

const emailsWith = async (domain: string) =>
  (await service.request('GET', `/v2/emails?limit=50&domain=${domain}`)).body.data

const leases = () => service.db.sql`select from relata.file_import_leases`

describe('GET …/file-imports', () => {
  test('200 with the largest size of a file', async () => {
    const { status, body } = await member.ask('GET', pathOf({}))
    expect([status, body]).toEqual([200, { data: { largest_file: service.appContext.settings.importLimit } }])
  })
})

describe('POST …/file-imports', () => {
  test('200 with counts and problems by line; a second import of an mbox file changes nothing', async () => {
    const correspondent = { member: member.email_address, domains: ['mbox.org'] }
    const messages = Array.from({ length: 600 }, (_, index) => threadMessage(index, correspondent))
    const file = mboxOf([...messages, Buffer.from('Subject: no address\n\nbody\n')])
    const lines = Buffer.from(file).toString('latin1').split('\n')
    const first = await imported(member, { file_name: 'all.MBOX' }, file)
    expect(first).toEqual({
      state: 'finished',
      counts: { read: 601, created: 600, updated: 0, deleted: 0, unchanged: 0, skipped: 1 },
      problem_count: 1,
      problems: [
        {
          line: lines.findIndex((line) => line === 'Subject: no address'),
          outcome: 'skipped',
          column: '',
          value: '',
          reason: expect.stringContaining('no sender'),
        },
      ],
      failure: null,
    })
    const second = await imported(member, { file_name: 'all.mbox' }, file)
    expect(second.counts).toEqual({ read: 601, created: 0, updated: 0, deleted: 0, unchanged: 600, skipped: 1 })
    const owners = await service.db.sql`select member_id from relata.mailboxes`
    expect(owners.map(({ member_id }) => member_id)).toEqual([idOf(member)])
    expect(await leases()).toHaveLength(0)
  })

  test('200 for the mailbox of another member, by an admin', async () => {
    const file = message(member.email_address, 'one@admin')
    const { counts } = await imported(admin, { file_name: 'one.eml', member: idOf(member) }, file)
    expect(counts).toEqual({ read: 1, created: 1, updated: 0, deleted: 0, unchanged: 0, skipped: 0 })
    expect(await emailsWith('outside.org')).toMatchObject([{ direction: 'outbound' }])
    expect((await imported(member, { file_name: 'one.eml' }, file)).counts.unchanged).toBe(1)
  })

  test('200 for a calendar, whose meetings the signed-in member creates once', async () => {
    const file = calendar(event('first'), event('cancelled', 'STATUS:CANCELLED'), event('second'))
    const first = await imported(admin, { file_name: 'work.ics', member: idOf(member) }, file)
    expect(first.counts).toEqual({ read: 3, created: 2, updated: 0, deleted: 0, unchanged: 0, skipped: 1 })
    expect(first.problems).toMatchObject([{ line: 7, outcome: 'skipped', reason: 'It was cancelled.' }])
    const { body } = await service.request('GET', '/v2/meetings?limit=50')
    const meetings = body.data.filter(({ title }: { title: string }) => ['first', 'second'].includes(title))
    for (const { created_by_actor, participants } of meetings) {
      expect(created_by_actor).toEqual({ type: 'workspace-member', id: idOf(admin) })
      expect(participants).toMatchObject([{ is_organizer: true, email_address: member.email_address }])
    }
    expect(meetings).toHaveLength(2)
    expect((await imported(member, { file_name: 'work.ics' }, file)).counts.unchanged).toBe(2)
  })

  test('200 for problems of many messages, each of which is listed once', async () => {
    const file = mboxOf(Array.from({ length: 2_500 }, () => Buffer.from('Subject: no address\n\nbody\n')))
    const { problems, problem_count } = await imported(member, { file_name: 'empty.mbox' }, file)
    expect([new Set(problems.map(({ line }) => line)).size, problems.length, problem_count]).toEqual([
      2_500, 2_500, 2_500,
    ])
  })

  test('200 with lines of at most 1,000 problems', async () => {
    const file = mboxOf(Array.from({ length: 2_500 }, () => Buffer.from('Subject: no address\n\nbody\n')))
    const { body } = await send(member, { file_name: 'empty.mbox' }, file)
    const lines: FileImportProgress[] = body
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
    expect(Math.max(...lines.map(({ problems }) => problems.length))).toBeLessThanOrEqual(1_000)
    expect(lines.map(({ state }) => state)).toEqual([...lines.slice(1).map(() => 'running' as const), 'finished'])
    expect(lines.flatMap(({ problems }) => problems)).toHaveLength(2_500)
  })

  test('200 with emails from further addresses as outbound', async () => {
    const file = mboxOf(
      ['own@further.org', 'second@further.org', 'x@strange.org'].map((sender, index) =>
        Buffer.from(message(sender, `${index}@further`)),
      ),
    )
    await imported(member, { file_name: 'own.mbox', addresses: ' Own@Further.org,, second@further.org,' }, file)
    const directions = (await emailsWith('further.org')).map(({ direction }: { direction: string }) => direction)
    expect(directions).toEqual(['outbound', 'outbound'])
    expect(await emailsWith('strange.org')).toMatchObject([{ direction: 'inbound' }])
  })

  const unreadable: [fileName: string, body: string | Uint8Array, failure: string | null][] = [
    ['table.mbox', 'Name,Website\n', 'not an mbox file'],
    ['page.ics', '<html></html>', 'not an iCalendar file'],
    ['zeros.mbox', new Uint8Array(100_000), 'not an mbox file'],
    ['line.ics', 'x'.repeat(900_000), 'not an iCalendar file'],
    ['empty.mbox', '', null],
    ['empty.ics', '', null],
  ]
  test.each(unreadable)('200 with the failure of %s', async (file_name, body, failure) => {
    const result = await imported(member, { file_name }, body)
    expect(result).toMatchObject({ state: failure === null ? 'finished' : 'failed', counts: { read: 0, created: 0 } })
    if (failure !== null) expect(result.failure).toContain(failure)
    expect(await leases()).toHaveLength(0)
  })

  const FILE = { file_name: 'one.eml' }
  const refused: [name: string, query: () => Readonly<Record<string, string>>, status: number, message: RegExp][] = [
    ['another extension', () => ({ file_name: 'one.pst' }), 400, /extension \.eml, \.mbox or \.ics/],
    ['no name of the file', () => ({}), 400, /file_name/],
    ['a long name of the file', () => ({ file_name: `${'x'.repeat(255)}.eml` }), 400, /file_name/],
    ['the mailbox of another member', () => ({ ...FILE, member: idOf(admin) }), 403, /admin/],
    [
      'a further address that is none',
      () => ({ ...FILE, addresses: 'a@b.org,c' }),
      400,
      /\\"c\\" is not an email address/,
    ],
    ['many further addresses', () => ({ ...FILE, addresses: 'a@b.org,'.repeat(300) }), 400, /addresses/],
    ['a member with a NUL', () => ({ ...FILE, member: '\u0000' }), 400, /member/],
    ['a member that does not exist', () => ({ ...FILE, member: crypto.randomUUID() }), 403, /admin/],
  ]
  test.each(refused)('refuses %s', async (_, query, status, text) => {
    const answer = await send(member, query(), message('a@b.org', 'refused@x'))
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringMatching(text)])
  })

  test.each(["'; drop table x", crypto.randomUUID()])('404 for the member %j, by an admin', async (id) => {
    expect((await send(admin, { ...FILE, member: id }, message('a@b.org', 'refused@x'))).status).toBe(404)
  })

  test('404 in a workspace of which the person is no member, 401 without a session', async () => {
    expect((await admin.ask('POST', pathOf(FILE, crypto.randomUUID()), 'x')).status).toBe(404)
    const anonymous = new Request(`http://localhost${pathOf(FILE)}`, { method: 'POST', body: 'x' })
    expect((await service.app.handle(anonymous)).status).toBe(401)
  })

  test('413 for a file over the limit, and its lease ends', async () => {
    const { status, body } = await send(member, FILE, new Uint8Array(1_000_001))
    expect([status, body.message]).toEqual([413, expect.stringContaining('larger than the 1 MB')])
    const chunked = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
    })
    const request = new Request(`http://localhost${pathOf(FILE)}`, {
      method: 'POST',
      body: chunked,
      headers: member.headers,
    })
    expect((await service.app.handle(request)).status).toBe(413)
    expect(await leases()).toHaveLength(0)
  })

  test('409 while another import of the member runs in any process, and 200 after its lease ended', async () => {
    const now = service.appContext.now()
    const key = { workspaceId: service.workspaceId, memberId: idOf(member) }
    const release = await leaseFileImport(service.db, () => now, key)
    expect((await send(member, FILE, message('a@lease.org', 'lease@x'))).status).toBe(409)
    expect((await send(admin, FILE, message('a@lease.org', 'lease@x'))).status).toBe(200)
    await release?.()
    expect((await send(member, FILE, message('a@lease.org', 'lease@x'))).status).toBe(200)
    const releaseDead = await leaseFileImport(service.db, () => now - 61_000_000, key)
    const releaseNext = await leaseFileImport(service.db, () => now, key)
    await releaseDead?.()
    expect(await leases()).toHaveLength(1)
    await releaseNext?.()
  })

  test('a body that breaks off imports nothing and releases the lease; the repeated upload imports all', async () => {
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(message('a@broken.org', 'broken@x')))
        controller.error(new Error('The connection was closed.'))
      },
    })
    const init = { method: 'POST', body: broken, headers: member.headers }
    const response = await captureLog(() => service.app.handle(new Request(`http://localhost${pathOf(FILE)}`, init)))
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect(await emailsWith('broken.org')).toEqual([])
    expect(await leases()).toHaveLength(0)
    expect((await imported(member, FILE, message('a@broken.org', 'broken@x'))).counts.created).toBe(1)
  })

  test('a client that closes the connection stops the import, and a repeated upload finishes it', async () => {
    const events = Array.from({ length: 300 }, (_, index) => event(`closed-${index}`))
    const init = { method: 'POST', body: calendar(...events), headers: member.headers }
    const url = `http://localhost${pathOf({ file_name: 'closed.ics' })}`
    const response = await service.app.handle(new Request(url, init))
    await response.body?.cancel()
    await until(async () => (await leases()).length === 0)
    const { counts } = await imported(member, { file_name: 'closed.ics' }, calendar(...events))
    expect(counts.created).toBeGreaterThan(0)
    expect(counts.created + counts.unchanged).toBe(300)
  })

  /** A file of which only the last message or event can be imported. */
  const lateFiles: [fileName: string, body: () => string][] = [
    [
      'skipped.mbox',
      () =>
        `${'From x@late.org Fri Jan  3 12:08:34 2025\n\n'.repeat(15_000)}From x@late.org Fri Jan  3 12:08:34 2025\n${message('late@late.org', 'late@x')}`,
    ],
    [
      'skipped.ics',
      () => calendar(...Array.from({ length: 15_000 }, () => 'BEGIN:VEVENT\r\nEND:VEVENT'), event('late')),
    ],
  ]
  test.each(lateFiles)(
    'a client that closes the connection stops the reading of skipped parts of %s',
    async (file_name, body) => {
      const init = { method: 'POST', body: body(), headers: member.headers }
      const response = await service.app.handle(new Request(`http://localhost${pathOf({ file_name })}`, init))
      await response.body?.cancel()
      await until(async () => (await leases()).length === 0)
      const { counts } = await imported(member, { file_name }, body())
      expect(counts).toMatchObject({ read: 15_001, created: 1, skipped: 15_000 })
    },
  )
})
