/** A service of its own for one journey, on a new database with the first admin. */

import { freshDatabase } from '../../support/service/database'
import { startProcess } from '../../support/service/start'
import { ADMIN } from './journey'

export interface OwnService {
  readonly url: string
  /** The output so far. */
  output(): string
  /** Stops the service and drops the database. Returns the exit code. */
  stop(): Promise<number>
}

export async function startOwnService(settings: Readonly<Record<string, string>> = {}): Promise<OwnService> {
  const database = await freshDatabase()
  const { url, output, stop } = await startProcess({
    DATABASE_URL: database.url,
    RELATA_ADMIN_EMAIL: ADMIN.email,
    RELATA_ADMIN_PASSWORD: ADMIN.password,
    ...settings,
  })
  return {
    url,
    output,
    async stop() {
      const code = await stop()
      await database.drop()
      return code
    },
  }
}
