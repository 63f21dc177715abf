/** The running PostgreSQL: started, waited for, stopped. */

import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Binaries } from './binaries'
import type { Cluster } from './cluster'
import { serverSettings, type Durability } from './settings'

export interface Server {
  /** Settles when the process has ended, whyever. */
  readonly exited: Promise<unknown>
  /** Disconnects everyone, writes everything and ends. */
  stop(): Promise<void>
}

/** PostgreSQL ended before it took connections; `log` is what it said. */
export class ServerFailed extends Error {
  constructor(readonly log: string) {
    super(`PostgreSQL did not start: ${log.trim().split('\n').slice(-3).join(' ')}`)
  }

  get portIsTaken(): boolean {
    return this.log.includes('could not bind')
  }
}

const LOG_LIMIT = 10_000_000

/** Starts PostgreSQL and resolves once it takes connections, however long it has to recover first. */
export async function startServer(cluster: Cluster, port: number, durability: Durability): Promise<Server> {
  const { directory, binaries, runAs } = cluster
  const logFile = join(cluster.dataDir, 'postgres.log')
  const log = openLog(logFile)
  const settings = Object.entries(serverSettings(port, durability)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const child = Bun.spawn([binaries.path('postgres'), '-D', directory, ...settings], {
    ...runAs,
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    cwd: '/',
    // In a session of its own, so that Ctrl-C does not end it before the service has finished its requests.
    detached: true,
    stdin: 'ignore',
    stdout: log.descriptor,
    stderr: log.descriptor,
  })
  closeSync(log.descriptor)
  while (!isReady(directory, child.pid)) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new ServerFailed(readFileSync(logFile).subarray(log.start).toString())
    await Bun.sleep(5)
  }
  endWithUs(child)
  return { exited: child.exited, stop: () => stopServer(directory, child, binaries) }
}

/** However our process ends, short of being killed: PostgreSQL is told to, and does so by itself. */
function endWithUs(child: Bun.Subprocess): void {
  const tell = () => child.kill('SIGINT')
  process.on('exit', tell)
  void child.exited.then(() => process.off('exit', tell))
}

/** Appends; begins a new file when the old one has grown large, and keeps that one. */
function openLog(file: string): { descriptor: number; start: number } {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT) renameSync(file, `${file}.old`)
  const descriptor = openSync(file, 'a', 0o600)
  return { descriptor, start: fstatSync(descriptor).size }
}

/** A file left by a crash says "ready" too, so the process must be ours. */
function isReady(directory: string, pid: number): boolean {
  const lines = readPidFile(directory)
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready'
}

/** The lines PostgreSQL keeps about itself while it runs: process, directory, start, port, …, state. */
export function readPidFile(directory: string): string[] {
  try {
    return readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

async function stopServer(directory: string, child: Bun.Subprocess, binaries: Binaries): Promise<void> {
  // Windows knows no signals; the program that comes along does.
  if (process.platform === 'win32') binaries.run('pg_ctl', ['stop', '--mode=fast', '-D', directory])
  else child.kill('SIGINT')
  await child.exited
}
