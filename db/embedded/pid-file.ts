/** Reads `postmaster.pid`, in which PostgreSQL writes the state of its server. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The lines of PostgreSQL's pid file: process id, directory, start time, port, …, state. */
export function readPidFile(directory: string): string[] {
  try {
    return readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/** A standby accepts connections, and the check of the server refuses it. */
const READY = ['ready', 'standby']

/** Whether a server accepts connections. With `pid`, only that server: the pid file of a crashed one also says "ready". */
export function isReady(directory: string, pid?: number): boolean {
  const lines = readPidFile(directory)
  return READY.includes(lines[7]?.trim() ?? '') && (pid === undefined || lines[0] === String(pid))
}
