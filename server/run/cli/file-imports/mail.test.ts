/** bun relata mail import. See docs/import.md (Emails). */

import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { BROKEN, type MessageBytes, mboxOf, threadMessage } from '#testing/mailbox-file'
import { runCommand, useFolder } from '#testing/command-line'
import { useTestService } from '#testing/use-service'
import { mailImport } from './file-imports'

const MESSAGES = 1_200

const service = useTestService()
const folder = useFolder()

/** Runs the command and returns its output. */
async function run(path: string, ...words: string[]): Promise<string> {
  return (await runCommand(service, mailImport, [path, '--member', service.member.email_address, ...words])).join('\n')
}

let files = 0
async function fileOf(bytes: Uint8Array, extension = 'mbox'): Promise<string> {
  const path = join(folder, `${++files}.${extension}`)
  await Bun.write(path, bytes)
  return path
}

const message = (headers: string): MessageBytes => Buffer.from(`${headers}\n\nbody\n`)

/** Emails with a participant of the domain, newest first. */
async function emailsOf(domain: string) {
  const { body } = await service.request('GET', `/v2/emails?limit=50&domain=${domain}`)
  return body.data
}

describe('mail import', () => {
  test('imports messages with threads and encodings, and imports them once', async () => {
    const correspondent = { member: service.member.email_address, domains: ['relata.dev', 'analytical.org'] }
    const all = Array.from({ length: MESSAGES }, (_, index) => threadMessage(index, correspondent))
    const path = await fileOf(mboxOf(all))
    expect(await run(path)).toBe(`${MESSAGES} messages read: ${MESSAGES} created, 0 unchanged, 0 skipped`)
    const again = await fileOf(mboxOf(all, '\r\n'))
    expect(await run(again)).toBe(`${MESSAGES} messages read: 0 created, ${MESSAGES} unchanged, 0 skipped`)
    expect(await Bun.file(`${path}.errors.csv`).exists()).toBe(false)
    const rows = await service.db.sql<{ threads: number; outbound: number }[]>`
      select count(distinct thread_key)::int as threads, count(*) filter (where direction = 'outbound')::int as outbound
      from relata.emails`
    expect(rows[0]).toEqual({ threads: MESSAGES / 5, outbound: MESSAGES / 2 })
    const [newest] = await emailsOf('relata.dev')
    expect(newest).toMatchObject({
      sent_at: new Date(Date.UTC(2025, 0, 1) + (MESSAGES - 2) * 3_600_000).toISOString().replace('Z', '000000Z'),
      direction: 'inbound',
      subject_line: `Re: Grüße Nr. ${MESSAGES - 5}`,
      participants: [
        { role: 'from', email_address: `contact18@relata.dev`, name: 'Ana "the" Ñandú' },
        { role: 'to', email_address: 'admin-1@example.com', name: 'Member, of the workspace' },
      ],
    })
    const [, ofGroup] = await emailsOf('team.org')
    expect(ofGroup.participants.filter(({ role }: { role: string }) => role === 'cc')).toMatchObject([
      { email_address: 'one@team.org', name: null },
      { email_address: 'two@team.org', name: 'Two' },
    ])
  })

  test('goes on after broken headers, and lists them', async () => {
    const path = await fileOf(mboxOf(BROKEN.map(({ bytes }) => bytes)))
    const created = BROKEN.filter(({ outcome }) => outcome === 'created').length
    expect(await run(path)).toBe(
      `${BROKEN.length} messages read: ${created} created, 0 unchanged, ${BROKEN.length - created} skipped\n` +
        `${path}.errors.csv lists what was not imported.`,
    )
    const problems = (await Bun.file(`${path}.errors.csv`).text()).trim().split('\r\n').slice(1)
    expect(problems.map((line) => line.replace(/"/g, ''))).toEqual([
      expect.stringMatching(/^10,skipped,,,It has no sender and no recipient/),
      expect.stringMatching(/^18,left out,Date,2100/),
      expect.stringMatching(/left out,Date,the day before yesterday/),
      expect.stringMatching(/left out,references,,The header is longer than 64 KiB/),
      expect.stringMatching(/left out,,,Its headers are longer than 256 KiB/),
      expect.stringMatching(/left out,,,It has \d+ participants; the first 500 are imported/),
      expect.stringMatching(/left out,to,x.*,It is too long for an address/),
    ])
    const found = new Map<string | undefined, Found>(
      (await emailsOf('b.org')).map((email: Found) => [email.participants[0]?.email_address, email]),
    )
    expect(found.get('j@b.org')).toMatchObject({ subject_line: 'café', participants: [{ name: 'Jürgen' }] })
    expect(found.get('late@b.org')).toMatchObject({ sent_at: '2026-01-02T07:00:00.000000000Z' })
    expect(found.get('undated@b.org')).toMatchObject({ sent_at: '2025-01-03T12:08:34.000000000Z' })
    expect(found.has('bad@b.org')).toBe(true)
    expect(found.get('long@b.org')).toMatchObject({ subject_line: 'after' })
    expect(found.get('many@b.org')?.participants).toHaveLength(500)
    expect(found.get('quoted@b.org')?.participants.map(({ email_address }) => email_address)).toEqual([
      'quoted@b.org',
      'after@b.org',
    ])
  })

  interface Found {
    readonly subject_line: string
    readonly participants: readonly { readonly email_address: string }[]
  }

  test('imports each message once while another import of the same messages runs', async () => {
    const correspondent = { member: service.member.email_address, domains: ['twice.org'] }
    const all = Array.from({ length: 700 }, (_, index) => threadMessage(index, correspondent))
    const paths = [await fileOf(mboxOf(all)), await fileOf(mboxOf(all.toReversed()))]
    const said = await Promise.all(paths.map((path) => run(path)))
    const created = said.map((line) => Number(/(\d+) created/.exec(line)?.[1]))
    expect(created.reduce((sum, each) => sum + each)).toBe(700)
  })

  test('imports a message without a Message-ID once', async () => {
    const headers = 'From: Someone <x@noid.org>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: one'
    const path = await fileOf(message(headers), 'eml')
    expect(await run(path)).toContain('1 created')
    const repeated = await fileOf(mboxOf([message(headers), message(headers.replace('one', 'two'))]))
    expect(await run(repeated)).toBe('2 messages read: 1 created, 1 unchanged, 0 skipped')
  })

  test('imports the files of a folder, and names the file of a problem', async () => {
    const path = join(folder, 'maildir')
    mkdirSync(path)
    await Bun.write(join(path, '1.eml'), message('From: one@folder.org\nDate: Thu, 1 Jan 2026 00:00:00 +0000'))
    await Bun.write(join(path, '2.EML'), message('Subject: nothing else'))
    await Bun.write(join(path, 'notes.txt'), 'no message')
    expect(await run(path)).toContain('2 messages read: 1 created, 0 unchanged, 1 skipped')
    expect(await Bun.file(`${path}.errors.csv`).text()).toContain('2.EML: It has no sender')
  })

  test('takes further addresses of the member for outbound messages', async () => {
    const path = await fileOf(message('From: me@own.org\nTo: b@own.org\nDate: Thu, 1 Jan 2026 00:00:00 +0000'), 'eml')
    await run(path, '--address', 'ME@own.org')
    expect(await emailsOf('own.org')).toMatchObject([{ direction: 'outbound' }])
  })

  test('refuses a file that is no mbox file, an unknown member and a missing file', async () => {
    const path = await fileOf(Buffer.from('Name,Website\n'))
    await expect(run(path)).rejects.toThrow('not an mbox file')
    await expect(run(path, '--member', 'nobody@relata.dev')).rejects.toThrow('no member')
    await expect(run(join(folder, 'absent.mbox'))).rejects.toThrow('no file')
  })

  test('reads a file without line ends, and an empty one', async () => {
    const path = await fileOf(Buffer.alloc(10_000_000, 'x'))
    expect(String(await run(path).catch((error: unknown) => error))).toContain('not an mbox file')
    expect(await run(await fileOf(Buffer.alloc(0)))).toContain('0 messages read')
  })
})
