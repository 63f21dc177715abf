/**
 * Measures how long a service takes to read a large mailbox of a Dovecot, and how much memory it needs for it. See
 * docs/decisions/connected-accounts.md (Measured).
 *
 *     TEST_ADMIN_URL=… bun server/testing/large-mailbox.ts 500000
 */

import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServiceProcess } from './child-process'
import { type Dovecot, startDovecot } from './dovecot'
import { addSendingAccount } from './sending-account'
import { testService, type TestService } from './service'

const [, , given = '50000'] = process.argv
const MESSAGES = Number(given)
const EVERY_MS = 250
const PRINTED_EVERY_S = 30

const service = await testService()
const dovecot = await startDovecot('secret')
try {
  fill(dovecot)
  await measure(service, dovecot)
} finally {
  await dovecot.stop()
  await service.close()
}

/** Writes the messages into the Maildir: one each ten minutes back from now, from 5,000 people of 500 companies. */
function fill({ maildir }: Dovecot): void {
  const { uid, gid } = statSync(maildir)
  const folder = (name: string) => {
    mkdirSync(join(maildir, name))
    chownSync(join(maildir, name), uid, gid)
    return join(maildir, name)
  }
  const [current] = ['cur', 'new', 'tmp'].map(folder) as [string] // three names
  for (let index = 0; index < MESSAGES; index++) {
    const at = new Date(Date.now() - index * 600_000)
    const from = `person-${index % 5_000}@company-${index % 500}.example`
    const path = join(current, `${Math.floor(at.getTime() / 1000)}.M${index}P1.host:2,S`)
    const reference = index % 3 === 0 ? '' : `References: <${index - (index % 3)}@host.example>\n`
    writeFileSync(
      path,
      `From: Person ${index % 5_000} <${from}>\nTo: Ada Lovelace <ada@lovelace.org>\nSubject: Message ${index} about something\nDate: ${at.toUTCString()}\nMessage-ID: <${index}@host.example>\n${reference}\nbody\n`,
    )
    chownSync(path, uid, gid)
  }
}

async function measure({ db, ...rest }: TestService, { port }: Dovecot): Promise<void> {
  const child = await startServiceProcess({ db, ...rest })
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1000
  // Until the service has done what it does after its start.
  await Bun.sleep(10_000)
  const before = memory()
  const begun = performance.now()
  const id = await addSendingAccount({ db, ...rest }, rest.member.id, { imapPort: port })
  await db.sql`update relata.connected_accounts set due_at = now(), settings = settings || '{"user": "ada"}'`
  let most = before
  let printed = 0
  for (;;) {
    await Bun.sleep(EVERY_MS)
    most = Math.max(most, memory())
    const [row] = await db.sql<{ stored: number; synced: boolean; error: string | null }[]>`
      select coalesce((progress->>'stored')::int, 0) as stored, synced_at is not null as synced, error_message as error
      from relata.connected_accounts where id = ${id}`
    const seconds = (performance.now() - begun) / 1000
    if (row?.synced === true || seconds - printed > PRINTED_EVERY_S) {
      printed = seconds
      console.log(`${seconds.toFixed(0)} s: ${row?.stored} stored, ${memory().toFixed(0)} MB, at most ${(most - before).toFixed(0)} MB more than before (${before.toFixed(0)} MB) ${row?.error ?? ''}`) // prettier-ignore
    }
    if (row?.synced === true) break
  }
  await child.kill()
}
