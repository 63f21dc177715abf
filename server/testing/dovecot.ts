/** A Dovecot of a test, as ordinary processes with a folder and a port of its own. */

import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '#db/embedded/cluster'
import { createTemporaryFolder } from './temporary-folder'

export interface Dovecot {
  readonly port: number
  /** At which other servers ask about passwords and tokens. */
  readonly authPort: number
  /** The Maildir of the only user. */
  readonly maildir: string
  readonly user: string
  setPassword(password: string): void
  /** Closes all connections, as a restart of the server does. */
  disconnect(): void
  stop(): Promise<void>
}

/** Programs of servers are not on the PATH of each user. */
export const SERVER_PATH = { PATH: `${process.env.PATH}:/usr/sbin` }
export const DOVECOT = Bun.which('dovecot', SERVER_PATH)

interface DovecotOptions {
  /** `imap_capability`, to hide extensions. */
  readonly capability?: string
  readonly tokens?: TokenOptions
}

/** The server accepts access tokens, too. */
interface TokenOptions {
  readonly mechanism: 'xoauth2' | 'oauthbearer'
  /** Where the server asks whether a token is active (RFC 7662). */
  readonly introspectionUrl: string
}

export async function startDovecot(password: string, { capability, tokens }: DovecotOptions = {}): Promise<Dovecot> {
  if (DOVECOT === null) throw new Error('Dovecot is not installed.')
  const folder = createTemporaryFolder()
  const [port, authPort] = [await findFreePort(0), await findFreePort(0)]
  const [uid, gid] = [Bun.spawnSync(['id', '-u', 'nobody']), Bun.spawnSync(['id', '-g', 'nobody'])].map(({ stdout }) =>
    Number(stdout.toString()),
  )
  const maildir = join(folder, 'mail')
  for (const name of ['run', 'mail']) mkdirSync(join(folder, name))
  chmodSync(folder, 0o755)
  const setPassword = (word: string) =>
    writeFileSync(join(folder, 'users'), `ada:{PLAIN}${word}:${uid}:${gid}::${folder}\n`)
  setPassword(password)
  writeFileSync(
    join(folder, 'dovecot.conf'),
    `
base_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_mechanisms = plain login ${tokens?.mechanism ?? ''}
auth_failure_delay = 0
mail_location = maildir:${maildir}
mail_max_userip_connections = 100
first_valid_uid = 1
default_vsz_limit = 512M
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service auth {
  inet_listener {
    address = 127.0.0.1
    port = ${authPort}
  }
}
service anvil {
  chroot =
  # A refused sign-in does not delay the next one.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
${tokens === undefined ? '' : `passdb {\n  driver = oauth2\n  mechanisms = ${tokens.mechanism}\n  args = ${folder}/oauth2.conf\n}`}
passdb {
  driver = passwd-file
  args = ${folder}/users
}
userdb {
  driver = passwd-file
  args = ${folder}/users
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Sent {
    special_use = \\Sent
    auto = create
  }
  mailbox Archive {
    special_use = \\Archive
    auto = create
  }
  mailbox Trash {
    special_use = \\Trash
    auto = create
  }
}
${capability === undefined ? '' : `protocol imap {\n  imap_capability = ${capability}\n}`}
`,
  )
  if (tokens !== undefined)
    writeFileSync(
      join(folder, 'oauth2.conf'),
      `
introspection_mode = post
introspection_url = ${tokens.introspectionUrl}
username_attribute = username
active_attribute = active
active_value = true
`,
    )
  if (uid !== undefined && gid !== undefined && process.getuid?.() === 0) chownSync(maildir, uid, gid)
  const child = Bun.spawn([DOVECOT, '-F', '-c', join(folder, 'dovecot.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await untilListening(port)
  return {
    port,
    authPort,
    maildir,
    user: 'ada',
    setPassword,
    disconnect: () => void Bun.spawnSync(['doveadm', '-c', join(folder, 'dovecot.conf'), 'kick', 'ada']),
    async stop() {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

let files = 0
/** Writes a message into a folder of the Maildir, as a delivery does. */
export function deliver(
  { maildir }: Dovecot,
  text: string,
  { folder = '', at = new Date() }: { readonly folder?: string; readonly at?: Date } = {},
): void {
  const { uid, gid } = statSync(maildir)
  const base = join(maildir, folder)
  for (const part of ['', 'cur', 'new', 'tmp']) {
    mkdirSync(join(base, part), { recursive: true })
    chownSync(join(base, part), uid, gid)
  }
  const path = join(base, 'new', `${Math.floor(at.getTime() / 1000)}.M${++files}P1.host`)
  writeFileSync(path, text)
  chownSync(path, uid, gid)
}

export async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).catch(() => undefined)
    if (socket !== undefined) {
      socket.end()
      return
    }
    await Bun.sleep(20)
  }
}
