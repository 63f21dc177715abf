/** A service for one test file: a process with its own database. */

import { createRequest, type Request } from '../http/client'
import { freshDatabase } from './database'
import { keyIn, type RunningProcess, startProcess } from './start'

export interface Service {
  readonly request: Request
  readonly key: string
  readonly url: string
  readonly databaseUrl: string
  /** Kills the process and starts another on the same database. */
  crash(): Promise<void>
  /** Stops the process, returns its exit code, and removes the database. */
  close(): Promise<number>
}

export async function startService(settings: Readonly<Record<string, string>> = {}): Promise<Service> {
  const database = await freshDatabase()
  const start = () => startProcess({ ...settings, DATABASE_URL: database.url })
  let running: RunningProcess = await start()
  const key = keyIn(running.output())
  // The URL changes with a restart. No request of a client may cause a status 500 or higher.
  const request: Request = async (method, path, ...rest) => {
    const answer = await createRequest(running.url, key)(method, path, ...rest)
    if (answer.status < 500) return answer
    throw new Error(
      `${method} ${path} answered ${answer.status}; the service printed:\n${running.output().slice(-3000)}`,
    )
  }
  return {
    request,
    key,
    get url() {
      return running.url
    },
    databaseUrl: database.url,
    async crash() {
      await running.kill()
      running = await start()
    },
    async close() {
      const code = await running.stop()
      await database.drop()
      return code
    },
  }
}
