/** A Postfix of a test, as ordinary processes with a folder and a port of its own. It asks a Dovecot about passwords, and relays to another server. */

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '#db/embedded/cluster'
import { SERVER_PATH, untilListening } from './dovecot'
import { createTemporaryFolder } from './temporary-folder'

export interface Postfix {
  readonly port: number
  /** The answers to recipients, by their address, from the next connection on. */
  answerTo(answers: Readonly<Record<string, string>>): void
  stop(): Promise<void>
}

/** Its master needs root. */
export const POSTFIX = process.getuid?.() === 0 ? Bun.which('postfix', SERVER_PATH) : null

interface PostfixOptions {
  /** The port at which Dovecot answers about passwords and tokens. */
  readonly authPort: number
  /** The port of the server that gets the accepted messages. */
  readonly relayPort: number
}

/** The largest message that it accepts, in bytes. */
export const MESSAGE_SIZE_LIMIT = 100_000

export async function startPostfix({ authPort, relayPort }: PostfixOptions): Promise<Postfix> {
  if (POSTFIX === null) throw new Error('Postfix is not installed.')
  const folder = createTemporaryFolder()
  const port = await findFreePort(0)
  chmodSync(folder, 0o755)
  for (const name of ['etc', 'queue', 'data']) mkdirSync(join(folder, name))
  Bun.spawnSync(['chown', 'postfix', join(folder, 'data')])
  const write = (name: string, text: string) => writeFileSync(join(folder, 'etc', name), text)
  const answerTo = (answers: Readonly<Record<string, string>>) =>
    write('recipients', Object.entries(answers).map(([address, answer]) => `${address} ${answer}\n`).join('')) // prettier-ignore
  answerTo({})
  write(
    'main.cf',
    `
compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
daemon_directory = /usr/lib/postfix/sbin
maillog_file = ${folder}/log
maillog_file_prefixes = ${folder}
inet_protocols = ipv4
myhostname = mail.navy.mil
mydestination =
alias_maps =
alias_database =
default_transport = smtp:[127.0.0.1]:${relayPort}
message_size_limit = ${MESSAGE_SIZE_LIMIT}
# Each connection reads the recipients again.
max_use = 1
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:${authPort}
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = check_recipient_access texthash:${folder}/etc/recipients
`,
  )
  write(
    'master.cf',
    `
127.0.0.1:${port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
`,
  )
  const program = POSTFIX
  const run = (verb: string) =>
    Bun.spawn([program, '-c', join(folder, 'etc'), verb], {
      env: { ...process.env, ...SERVER_PATH },
      stdio: ['ignore', 'ignore', 'ignore'],
    }).exited
  const ended = run('start-fg')
  await untilListening(port)
  return {
    port,
    answerTo,
    async stop() {
      await run('stop')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
