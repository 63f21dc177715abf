/** Installs the packages of Debian that tests need, where the run may do so. */

import { existsSync } from 'node:fs'
import { DOVECOT } from './dovecot'
import { POSTFIX } from './postfix'
import { RADICALE } from './radicale'

/**
 * Installs the servers of mail and calendars that are missing. Not where a service manager runs: it would start them. The
 * tests of a server that is missing afterwards do not run, and say so.
 */
export async function installServers(): Promise<void> {
  const missing = Object.entries({ 'dovecot-imapd': DOVECOT, postfix: POSTFIX, radicale: RADICALE })
    .filter(([, program]) => program === null)
    .map(([name]) => name)
  if (missing.length > 0 && !existsSync('/run/systemd/system')) await installPackages(missing)
}

/** Returns whether the packages are installed. Only root installs packages, with `apt-get`. */
export async function installPackages(names: readonly string[]): Promise<boolean> {
  if (process.getuid?.() !== 0 || Bun.which('apt-get') === null) return false
  console.log(`apt-get install ${names.join(' ')}`)
  const install = () => run(['apt-get', 'install', '-qq', '--no-install-recommends', ...names])
  return (await install()) || ((await run(['apt-get', 'update', '-qq'])) && install())
}

/** Standard output is left out: it is long, and says nothing when the command succeeds. */
async function run(words: string[]): Promise<boolean> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return (await Bun.spawn(words, { env, stdio: ['ignore', 'ignore', 'inherit'] }).exited) === 0
}
