/** Starts and stops the PostgreSQL process. */

import { closeSync, existsSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries'
import { type Cluster, isReady } from './cluster'
import { type Durability, memoryOfProcess, serverSettings } from './settings'
import { StartError } from '../connect'

export interface Server {
  /** Settles when the process has ended for any reason. */
  readonly exited: Promise<unknown>
  /** Ends all connections, writes all data to disk and ends the process. */
  stop(): Promise<void>
}

/** PostgreSQL ended before it accepted connections; `log` is its output. */
export class ServerStartError extends StartError {
  constructor(
    readonly log: string,
    logFile: string,
  ) {
    super(`The embedded PostgreSQL did not start (${causeOf(log)}); see ${logFile}.`)
  }

  get portIsTaken(): boolean {
    return this.log.includes('could not bind')
  }
}

const LINE_PREFIX = /^[-\d]+ [:.\d]+ \w+ \[\d+\] /

const causeOf = (log: string): string =>
  log
    .trim()
    .split('\n')
    .slice(-3)
    .map((line) => line.replace(LINE_PREFIX, '').trim())
    .join(' ')

const LOG_LIMIT = 10_000_000

/** Starts PostgreSQL. Resolves when it accepts connections, without a time limit, because recovery may take long. */
export async function startServer(cluster: Cluster, port: number, durability: Durability): Promise<Server> {
  const { directory, binaries, runAs } = cluster
  const logFile = join(cluster.dataDir, 'postgres.log')
  const log = openLog(logFile)
  const settings = Object.entries(serverSettings(port, durability)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = Bun.spawn(limitMemory([binaries.path('postgres'), '-D', directory, ...settings]), {
    ...runAs,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
    // Ctrl-C must not end PostgreSQL before the service has finished its requests, so it gets a session of its own.
    detached: true,
    stdin: 'ignore',
    stdout: log.descriptor,
    stderr: log.descriptor,
  })
  closeSync(log.descriptor)
  while (!isReady(directory, child.pid)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new ServerStartError(readFileSync(logFile).subarray(log.start).toString(), logFile)
    await Bun.sleep(5)
  }
  stopOnExit(child)
  return { exited: child.exited, stop: () => stopServer(directory, child, binaries) }
}

/** Sends PostgreSQL the signal to shut down when the service's process exits, for any reason except a kill. */
function stopOnExit(child: Bun.Subprocess): void {
  const stop = () => child.kill('SIGINT')
  process.on('exit', stop)
  void child.exited.then(() => process.off('exit', stop))
}

/** Opens the log to append to it. A log above the limit is renamed to `.old` first. */
function openLog(file: string): { descriptor: number; start: number } {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(file, `${file}.old`)
  const descriptor = openSync(file, 'a', 0o600)
  return { descriptor, start: fstatSync(descriptor).size }
}

async function stopServer(directory: string, child: Bun.Subprocess, binaries: Binaries): Promise<void> {
  // Windows has no signals, so `pg_ctl` stops the server there.
  if (process.platform === 'win32') binaries.run('pg_ctl', ['stop', '--mode=fast', '-D', directory])
  else child.kill('SIGINT')
  await child.exited
}

/**
 * Limits the memory of each process of the embedded PostgreSQL. PostgreSQL has no such limit itself, and one query, such as a
 * large aggregate of SQL, could take the memory of the machine. With the limit, the query fails instead.
 */
const SHELL = '/bin/sh'

/** The shell sets the limit, if it is allowed to, and then becomes the command: `exec` keeps the process. */
const SCRIPT = '(ulimit -v "$0") 2>/dev/null && ulimit -v "$0"; exec "$@"'

/** Returns the command that starts `command` with the limit. Only Linux applies a limit of address space. */
function limitMemory(command: readonly string[]): string[] {
  if (process.platform !== 'linux' || !existsSync(SHELL)) return [...command]
  return [SHELL, '-c', SCRIPT, String(Math.floor(memoryOfProcess() / 1024)), ...command]
}
