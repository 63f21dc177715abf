/** Identities of databases for tests. */

import { checkInstallation } from '#access/installation/hold'
import type { Identity } from '#access/installation/identity'
import type { TestService } from './service'

export const ORIGINAL: Identity = {
  base_url: 'https://crm.example.com',
  server: '7',
  database: '5/17000',
  data_file: null,
}
export const COPY: Identity = { ...ORIGINAL, base_url: 'https://staging.example.com', database: '6/17000' }

/** Does what the start of a service does that finds this identity. */
export const startAt = ({ db, appContext }: TestService, found: Identity, onCopy: 'hold' | 'move' | 'copy' = 'hold') =>
  checkInstallation(db.sql, { found, onCopy, now: appContext.now() })

/** Holds what is sent. The service takes its database for a copy. */
export async function holdSending(service: TestService): Promise<void> {
  await service.db.sql`delete from relata.installation`
  await startAt(service, ORIGINAL)
  await startAt(service, COPY)
}
