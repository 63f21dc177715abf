/**
 * Cleans up after a service that was killed: shuts its PostgreSQL down if it still runs, and removes its pid file.
 * Only the owner of the data folder's lock may call this.
 */

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPidFile } from './pid-file'

/** After this time PostgreSQL gets the signal to end at once. It then recovers at the next start. */
const SHUTDOWN_TIMEOUT_MS = 60_000

export async function stopOrphanedServer(directory: string): Promise<void> {
  if (process.platform === 'win32') return // there, PostgreSQL itself refuses to start beside another
  const pid = Number(readPidFile(directory)[0])
  if (!(pid > 0)) return
  if (isServerOf(directory, pid)) await stopProcess(directory, pid)
  rmSync(join(directory, 'postmaster.pid'), { force: true })
}

async function stopProcess(directory: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGINT')
  for (const startedAt = Date.now(); isServerOf(directory, pid); await Bun.sleep(20)) {
    if (Date.now() - startedAt > SHUTDOWN_TIMEOUT_MS) process.kill(pid, 'SIGQUIT')
  }
}

/** Compares the command line, because the operating system may have given the process id to another program. */
function isServerOf(directory: string, pid: number): boolean {
  const words = commandLine(pid)
  return words.includes('postgres') && words.includes(` -D ${directory} `)
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return Bun.spawnSync(['ps', '-ww', '-o', 'command=', '-p', String(pid)]).stdout.toString()
  } catch {
    return ''
  }
}
