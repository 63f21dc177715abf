/** A service of its own for one journey, on a new database with the first admin. */

import { freshDatabase } from '../../support/service/database'
import { startProcess } from '../../support/service/start'
import type { Page } from 'playwright/test'
import { ADMIN, consoleOf, expect, signIn, testSignedOut } from './journey'

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

/** `test` for journeys of which each starts a service. */
export const testOnOwnService = (settings: Readonly<Record<string, string>> = {}) =>
  testSignedOut.extend({
    // Playwright reads the used fixtures from the first parameter.
    // oxlint-disable-next-line no-empty-pattern
    baseURL: async ({}, use) => {
      const service = await startOwnService(settings)
      await use(service.url)
      await service.stop()
    },
  })

/** A fixture that starts a server for a test, and stops it afterwards. */
export const serverFixture =
  <Server extends { stop(): unknown }>(start: () => Server) =>
  // oxlint-disable-next-line no-empty-pattern -- as above
  async ({}, use: (server: Server) => Promise<void>): Promise<void> => {
    const server = start()
    await use(server)
    server.stop()
  }

/** Signs in the admin, and creates the person Grace Hopper. Returns the id of the record. */
export async function openWithPerson(page: Page): Promise<string> {
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  const { v2 } = await consoleOf(page.request)
  const values = { name: 'Hopper, Grace', email_addresses: ['grace@navy.mil'] }
  return (await v2('POST', '/objects/people/records', { data: { values } })).body.data.id.record_id
}
