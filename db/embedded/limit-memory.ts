/**
 * Limits the memory of each process of the embedded PostgreSQL. PostgreSQL has no such limit itself, and one query, such as a
 * large aggregate of SQL, could take the memory of the machine. With the limit, the query fails instead.
 */

import { existsSync } from 'node:fs'
import { memoryOfProcess } from './settings'

const SHELL = '/bin/sh'

/** The shell sets the limit, if it is allowed to, and then becomes the command: `exec` keeps the process. */
const SCRIPT = '(ulimit -v "$0") 2>/dev/null && ulimit -v "$0"; exec "$@"'

/** Returns the command that starts `command` with the limit. Only Linux applies a limit of address space. */
export function limitMemory(command: readonly string[]): string[] {
  if (process.platform !== 'linux' || !existsSync(SHELL)) return [...command]
  return [SHELL, '-c', SCRIPT, String(Math.floor(memoryOfProcess() / 1024)), ...command]
}
