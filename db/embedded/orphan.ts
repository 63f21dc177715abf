/**
 * What a killed service leaves behind: a PostgreSQL that still runs, which is stopped in order so that ours can take
 * over, or a note of one that does not run any more. Called only by who holds the data folder's lock.
 */

import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readPidFile } from './server'

/** After this long a shutdown in order has failed and PostgreSQL is told to end at once; it recovers at the next start. */
const PATIENCE_MS = 60_000

export async function stopOrphan(directory: string): Promise<void> {
  if (process.platform === 'win32') return // PostgreSQL finds out for itself, and refuses to start beside another
  const pid = Number(readPidFile(directory)[0])
  if (!(pid > 0)) return
  if (isServerOf(directory, pid)) await stopProcess(directory, pid)
  rmSync(join(directory, 'postmaster.pid'), { force: true })
}

async function stopProcess(directory: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGINT')
  for (const begun = Date.now(); isServerOf(directory, pid); await Bun.sleep(20)) {
    if (Date.now() - begun > PATIENCE_MS) process.kill(pid, 'SIGQUIT')
  }
}

/** Numbers of processes are used again, so the one in the file may be somebody else by now: its command line tells. */
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
