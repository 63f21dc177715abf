/** Starts one service for all journeys, on a new database. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '../../support/service/database'
import { startProcess } from '../../support/service/start'

/** The environment variables that give the service to the processes of journeys. */
export const ENV = { url: 'RELATA_BROWSER_URL', state: 'RELATA_BROWSER_STATE' } as const

export default async function startForAll(): Promise<() => Promise<void>> {
  const database = await freshDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'relata-browser-state-'))
  const service = await startProcess({ DATABASE_URL: database.url, RELATA_FIRST_START: 'browser' })
  process.env[ENV.url] = service.url
  process.env[ENV.state] = join(folder, 'state.json')
  return async () => {
    const code = await service.stop()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
    if (code !== 0) throw new Error(`The service ended with ${code}:\n${service.output()}`)
  }
}
