/** A process is killed while it sends emails, at each step of one. No email is sent twice or lost; an outcome that no process has seen is unknown. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ImapServer, startImapServer } from '../../../../e2e/support/imap-server'
import { type SmtpServer, type SmtpStep, startSmtpServer } from '../../../../e2e/support/smtp-server'
import { type ServiceProcess, startServiceProcess } from '#testing/child-process'
import { addSendingAccount } from '#testing/sending-account'
import { until } from '#testing/until'
import { usePerson, useTestService } from '#testing/use-service'

/** The step of the SMTP server within which the process is killed, and what is true of the email after the next start. */
const STEPS = {
  'before the sign-in': { at: 'EHLO', state: 'sent', isAcceptedAtKill: false },
  'before the message': { at: 'DATA', state: 'sent', isAcceptedAtKill: false },
  'within the message': { at: 'first line', state: 'unknown', isAcceptedAtKill: false },
  'before the answer to the message': { at: 'end', state: 'unknown', isAcceptedAtKill: true },
  'before the answer is stored': { at: 'end', state: 'unknown', isAcceptedAtKill: true },
  'within the copy for the folder of sent messages': { at: undefined, state: 'sent', isAcceptedAtKill: true },
} as const satisfies Record<string, { at: SmtpStep | undefined; state: string; isAcceptedAtKill: boolean }>
type Name = keyof typeof STEPS
const NAMES = Object.keys(STEPS) as Name[] // the keys of a constant

const service = useTestService()
const ada = usePerson(service)
const servers = {} as Record<Name, SmtpServer>
let imap: ImapServer
beforeAll(async () => {
  imap = startImapServer()
  for (const [index, name] of NAMES.entries()) {
    const server = startSmtpServer()
    servers[name] = server
    const copies = STEPS[name].at === undefined ? { imapPort: imap.port } : {}
    const account = { address: `ada-${index}@lovelace.org`, port: server.port, ...copies }
    await addSendingAccount(service, ada.memberIds[service.workspaceId] ?? '', account)
  }
})
afterAll(() => {
  for (const name of NAMES) servers[name].stop()
  imap.stop()
})

const killed = Promise.withResolvers<void>()
const reached = new Set<Name>()

/** Says that the process is at the step, and waits until it is killed. */
async function holdAt(name: Name): Promise<void> {
  reached.add(name)
  await killed.promise
}

const isWaiting = async () =>
  (
    await service.db.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query ilike '%update%sent_emails%'`
  ).length > 0

test('each email is sent once or its outcome is unknown, and has one copy', async () => {
  for (const name of NAMES)
    servers[name].onStep = async (step) => {
      if (step !== STEPS[name].at || reached.has(name)) return undefined
      if (name === 'before the answer is stored') {
        const locked = Promise.withResolvers<void>()
        void service.db.sql.begin(async (tx) => {
          await tx`select from relata.sent_emails where subject = ${name} for update`
          locked.resolve()
          await holdAt(name)
        })
        return locked.promise.then(() => undefined)
      }
      await holdAt(name)
      return 'drop'
    }
  imap.onAppend = () => holdAt('within the copy for the folder of sent messages')

  for (const [index, subject] of NAMES.entries()) {
    const data = { from: `ada-${index}@lovelace.org`, to: ['grace@navy.mil'], subject, text: 'Dear Grace' }
    expect((await ada.ask('POST', '/console/v2/emails/send', { data })).status).toBe(200)
  }
  const first = await startServiceProcess(service)
  await until(async () => reached.size === NAMES.length && (await isWaiting()))
  await first.kill()
  expect(acceptedBy()).toEqual(NAMES.map((name) => (STEPS[name].isAcceptedAtKill ? 1 : 0)))
  killed.resolve()
  await settle(await startServiceProcess(service))

  const { body } = await ada.ask('GET', '/console/v2/emails/sent')
  const states = new Map(body.data.map((email: { subject: Name; state: string }) => [email.subject, email.state]))
  expect(NAMES.map((name) => [name, states.get(name)])).toEqual(NAMES.map((name) => [name, STEPS[name].state]))
  // An email whose outcome is unknown keeps its text, so that the member can send it again.
  const texts = body.data.map(({ state, text }: { state: string; text: string | null }) => state === 'unknown' || text)
  expect(new Set(texts)).toEqual(new Set([true, null]))
  expect(acceptedBy()).toEqual(NAMES.map((name) => (name === 'within the message' ? 0 : 1)))
  expect(imap.folders.get('Sent')?.messages).toHaveLength(1)
})

const acceptedBy = () => NAMES.map((name) => servers[name].accepted.length)

/** Lets the process work until nothing is due, and kills it. */
async function settle(child: ServiceProcess): Promise<void> {
  const isDue = async () => (await service.db.sql`select 1 from relata.sent_emails where due_at is not null`).length > 0
  await until(async () => !(await isDue()))
  await child.kill()
}
