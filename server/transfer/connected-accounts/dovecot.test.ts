/**
 * Accounts on Dovecot, a real server, where it is installed (`apt-get install dovecot-imapd`). Otherwise the tests are not run, and say so.
 * RELATA_DOVECOT=long also measures 50,000 messages.
 */

import { beforeEach, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deliver as deliverMessage, type Dovecot, DOVECOT, startDovecot } from '#testing/dovecot'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'
import type { RunningQueueWorker } from '#engine/queue'
import { accountWorker } from './worker'

if (DOVECOT === null)
  console.log('Not run: the tests of connected accounts on Dovecot, because dovecot-imapd is not installed.')
const testOnDovecot = (name: string, run: () => Promise<void>) => DOVECOT !== null && test(name, run)
const LONG = process.env.RELATA_DOVECOT === 'long'

const service = useTestService()
const ada = usePerson(service)
const accounts = () => `/console/api/workspaces/${service.workspaceId}/connected-accounts`

let worker: RunningQueueWorker
let domain = ''
beforeEach(() => {
  domain = `d${crypto.randomUUID().slice(0, 8)}.mil`
})

/** The message has a name that is also its subject. `contents` begins with headers. */
function deliver(
  server: Dovecot,
  name: string,
  folder = '',
  at = new Date(),
  contents: readonly string[] = ['', 'body'],
): void {
  const headers = `From: ${name}@${domain}\nTo: ada@lovelace.org\nSubject: ${name}\nDate: ${at.toUTCString()}\nMessage-ID: <${name}@${domain}>`
  deliverMessage(server, `${headers}\n${contents.join('\n')}\n`, { folder, at })
}

function deleteFirst({ maildir }: Dovecot): void {
  const [file = ''] = ['new', 'cur'].flatMap((part) =>
    readdirSync(join(maildir, part)).map((name) => join(maildir, part, name)),
  )
  rmSync(file)
}

async function connect(server: Dovecot): Promise<string> {
  const { body } = await ada.ask('POST', accounts(), {
    kind: 'imap',
    email_address: `ada@${crypto.randomUUID()}.org`,
    settings: { host: '127.0.0.1', port: server.port, security: 'none', user: server.user },
    secret: { password: 'secret' },
    sharing: 'everything',
    history_days: null,
  })
  worker.wake()
  return body.data.id
}

const account = async (id: string) =>
  (await ada.ask('GET', accounts())).body.data.find((each: { id: string }) => each.id === id)
const untilSynced = (id: string) => until(async () => (await account(id)).synced_at !== null)
const subjects = async (): Promise<string[]> => {
  const { body } = await ada.ask('GET', `/console/v2/emails?limit=50&domain=${domain}`)
  return body.data.map(({ subject_line }: { subject_line: string }) => subject_line).toSorted()
}

async function withDovecot(run: (server: Dovecot) => Promise<void>, options = {}): Promise<void> {
  const server = await startDovecot('secret', options)
  worker = accountWorker({ renewMs: 1000 }).start(service.appContext)
  try {
    await run(server)
    for (const { id } of (await ada.ask('GET', accounts())).body.data) await ada.ask('DELETE', `${accounts()}/${id}`)
  } finally {
    await worker.stop()
    await server.stop()
  }
}

testOnDovecot('reads folders, new messages by IDLE, and what vanished by QRESYNC', () =>
  withDovecot(async (server) => {
    deliver(server, 'one')
    deliver(server, 'two')
    deliver(server, 'three', '.Archive', new Date('2020-01-01'))
    const id = await connect(server)
    await untilSynced(id)
    expect(await subjects()).toEqual(['one', 'three', 'two'])
    const begun = performance.now()
    deliver(server, 'four')
    await until(async () => (await subjects()).length === 4)
    console.log(`A new message was there after ${Math.round(performance.now() - begun)} ms.`)
    deleteFirst(server)
    await until(async () => (await subjects()).length === 3)
  }),
)

testOnDovecot('goes on after a restart of the server, and finds what came meanwhile', () =>
  withDovecot(async (server) => {
    deliver(server, 'one')
    const id = await connect(server)
    await untilSynced(id)
    server.disconnect()
    deliver(server, 'two')
    await until(async () => (await subjects()).length === 2)
    expect((await account(id)).state).toBe('active')
  }),
)

testOnDovecot('reads a server without CONDSTORE, QRESYNC and IDLE', () =>
  withDovecot(
    async (server) => {
      deliver(server, 'one')
      deliver(server, 'two')
      const id = await connect(server)
      await untilSynced(id)
      deleteFirst(server)
      deliver(server, 'three')
      await ada.ask('POST', `${accounts()}/${id}/read`)
      worker.wake()
      await until(async () => (await subjects()).includes('three') && (await subjects()).length === 2)
    },
    { capability: 'IMAP4rev1 SASL-IR LITERAL+ ID NAMESPACE SPECIAL-USE UIDPLUS' },
  ),
)

testOnDovecot('reads a mailbox again whose UIDs the server has made anew', () =>
  withDovecot(async (server) => {
    deliver(server, 'one')
    deliver(server, 'two')
    const id = await connect(server)
    await untilSynced(id)
    server.disconnect()
    for (const name of readdirSync(server.maildir).filter((each) =>
      /^dovecot(?:\.index|-uidlist|-uidvalidity)/.test(each),
    ))
      rmSync(join(server.maildir, name))
    writeFileSync(join(server.maildir, 'dovecot-uidvalidity'), 'ffffff00')
    deliver(server, 'three')
    await until(async () => (await subjects()).length === 3)
    expect((await account(id)).progress.stored).toBe(3)
  }),
)

const PARTS = [
  'Content-Type: multipart/mixed; boundary=out',
  '',
  '--out',
  'Content-Type: multipart/alternative; boundary=in',
  '',
  '--in',
  'Content-Type: text/plain; charset=iso-8859-1; format=flowed',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'The caf=E9=20',
  'has cr=E8me today',
  '--in',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>other</p>',
  '--in--',
  '--out',
  "Content-Type: application/pdf; name*=utf-8''%C3%9Cbersicht.pdf",
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: attachment',
  '',
  'A'.repeat(76),
  '--out--',
]

const setTexts = async (stores_email_texts: boolean) => {
  await ada.ask('PATCH', `/console/api/workspaces/${service.workspaceId}`, { stores_email_texts })
  worker.wake()
}
const textOf = async (name: string) => {
  const { body } = await ada.ask('GET', `/console/v2/emails?participants=${name}@${domain}`)
  const id = body.data[0]?.id.email_id
  return id && (await ada.ask('GET', `/console/v2/emails/${id}`)).body.data
}

testOnDovecot('reads texts of stored and of new messages', () =>
  withDovecot(async (server) => {
    deliver(server, 'parts', '', new Date(), PARTS)
    deliver(server, 'html', '.Archive', new Date('2020-01-01'), ['Content-Type: text/html', '', '<b>Hello</b>'])
    const id = await connect(server)
    await untilSynced(id)
    await setTexts(true)
    await until(async () => (await account(id)).progress.texts_left === 0)
    expect(await textOf('parts')).toMatchObject({
      text: 'The café has crème today',
      attachments: [{ name: 'Übersicht.pdf', content_type: 'application/pdf', size: 55 }],
    })
    expect((await textOf('html')).text).toBe('Hello')
    deliver(server, 'new', '', new Date(), ['', 'New text'])
    await until(async () => (await textOf('new'))?.text === 'New text')
    await setTexts(false)
  }),
)

const MESSAGES = 50_000

const measure = () =>
  withDovecot(async (server) => {
    for (let index = 0; index < MESSAGES; index++)
      deliver(server, `message-${index}`, '', new Date(Date.now() - index * 600_000))
    const begun = performance.now()
    const before = process.cpuUsage()
    const id = await connect(server)
    while ((await account(id)).synced_at === null) await Bun.sleep(500)
    const { user, system } = process.cpuUsage(before)
    console.log(`${MESSAGES} messages: ${((performance.now() - begun) / 1000).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of processor time, ${Math.round(process.memoryUsage.rss() / 1e6)} MB.`) // prettier-ignore
    expect((await account(id)).progress.stored).toBe(MESSAGES)
    await Bun.sleep(2_000)
    const idle = process.cpuUsage()
    await Bun.sleep(20_000)
    const used = process.cpuUsage(idle)
    console.log(
      `Idle, with all of the process: ${((used.user + used.system) / 20_000).toFixed(2)} ms of processor time a second.`,
    )
  })

if (LONG) testOnDovecot(`reads ${MESSAGES} messages`, measure)
