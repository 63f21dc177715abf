/** Runs the service as operators do: as a process of which only the output and the port are used. */

import { join } from 'node:path'
import { PATIENCE_MS } from '../until'
import { findFreePort } from './free-port'

const ROOT = join(import.meta.dir, '../../..')

/**
 * The program of a service that ends at a statement that breaks the rules of docs/scaling.md (Rules of statements), and hashes passwords
 * with the least cost. The service ends also with a test process that is killed. Otherwise it would reconnect to a dropped database for
 * ever.
 */
const SOURCES = [process.execPath, '--no-orphans', 'server/testing/prepared-service.ts']

/** `bun run test` compiles the program. An executable does not find the package of the embedded PostgreSQL. */
const { RELATA_TEST_SERVICE } = process.env
const programFor = ({ DATABASE_URL }: Settings): readonly string[] =>
  RELATA_TEST_SERVICE === undefined || DATABASE_URL === undefined ? SOURCES : [RELATA_TEST_SERVICE]

/** Time limits that a test does not set are long, so that a busy machine does not exceed them. */
const PATIENT = { RELATA_QUERY_TIMEOUT: '150', RELATA_WEBHOOK_TIMEOUT: '60' }

type Settings = Readonly<Record<string, string>>

export interface RunningProcess {
  readonly url: string
  readonly pid: number
  /** The output so far. */
  output(): string
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number>
  /** Sends SIGKILL. */
  kill(): Promise<void>
  /** Sends a message to the probe. */
  tell(message: unknown): void
}

/** Code of a test that runs inside the service, and its messages. */
export interface Probe {
  /** The path of the file from the root of the repository. */
  readonly file: string
  onMessage(message: unknown): void
}

/** The key that all services of tests encrypt secrets with, because several use one database. */
export const SECRET_KEY = { RELATA_SECRET_KEY: Buffer.alloc(32, 'test').toString('base64') }

/**
 * Starts the service with these settings, long time limits and an otherwise empty environment. Resolves when it listens.
 */
export async function startProcess(settings: Settings, probe?: Probe): Promise<RunningProcess> {
  const port = findFreePort()
  const child = Bun.spawn([...programFor(settings), ...(probe === undefined ? [] : [join(ROOT, probe.file)])], {
    ...(probe !== undefined && { ipc: (message: unknown) => probe.onMessage(message) }),
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: String(port),
      HOST: '127.0.0.1',
      ...SECRET_KEY,
      ...PATIENT,
      ...settings,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let printed = ''
  const listening = Promise.withResolvers<void>()
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      printed += decoder.decode(chunk, { stream: true })
      if (printed.includes('Relata listens on')) listening.resolve()
    }
  }
  void Promise.all([collect(child.stdout), collect(child.stderr)])
  void child.exited.then((code) => listening.reject(new Error(`The service ended with ${code}:\n${printed}`)))
  const tooLate = setTimeout(() => listening.reject(new Error(`The service did not start:\n${printed}`)), PATIENCE_MS)
  await listening.promise.finally(() => clearTimeout(tooLate))
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    return child.exited
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    output: () => printed,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    tell: (message) => void child.send(message),
  }
}

/** Returns the key that the first start prints. */
export function keyIn(output: string): string {
  const key = /API key:\s+(\S+)/.exec(output)?.[1]
  if (key === undefined) throw new Error(`The service printed no key:\n${output}`)
  return key
}
