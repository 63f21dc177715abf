/** A Dovecot of a test, as ordinary processes with a folder and a port of its own. */

import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '#db/embedded/find-free-port'
import { createTemporaryFolder } from './temporary-folder'

export interface Dovecot {
  readonly port: number
  /** The Maildir of the only user. */
  readonly maildir: string
  readonly user: string
  setPassword(password: string): void
  /** Closes all connections, as a restart of the server does. */
  disconnect(): void
  stop(): Promise<void>
}

export const DOVECOT = Bun.which('dovecot')

interface DovecotOptions {
  /** `imap_capability`, to hide extensions. */
  readonly capability?: string
}

export async function startDovecot(password: string, { capability }: DovecotOptions = {}): Promise<Dovecot> {
  if (DOVECOT === null) throw new Error('Dovecot is not installed.')
  const folder = createTemporaryFolder()
  const port = await findFreePort(0)
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
auth_mechanisms = plain login
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
service anvil {
  chroot =
}
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
  if (uid !== undefined && gid !== undefined && process.getuid?.() === 0) chownSync(maildir, uid, gid)
  const child = Bun.spawn([DOVECOT, '-F', '-c', join(folder, 'dovecot.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await untilListening(port)
  return {
    port,
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

async function untilListening(port: number): Promise<void> {
  for (;;) {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).catch(() => undefined)
    if (socket !== undefined) {
      socket.end()
      return
    }
    await Bun.sleep(20)
  }
}
