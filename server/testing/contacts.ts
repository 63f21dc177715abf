/** Runs the worker of contacts in tests. */

import { readFeeds } from '#crm/feed-worker'
import { contactWorker } from '#crm/contacts/worker'
import { publishBatch } from '#events/feed/publish'
import type { TestService } from './service'
import { runWorker } from './workers'

/** Publishes the outbox and runs the worker in so many processes, until neither has work. */
export async function settleContacts({ db, appContext }: TestService, processes = 1): Promise<void> {
  for (let published = true; published;) {
    published = false
    while ((await publishBatch(db, appContext.now, async () => {})) > 0) published = true
    await readFeeds(appContext)
    await Promise.all(Array.from({ length: processes }, () => runWorker(contactWorker, appContext)))
  }
}

/** Switches the creation of contacts. */
export async function switchContacts({ db, workspaceId, appContext }: TestService, isOn: boolean): Promise<void> {
  await db.sql`update relata.workspaces set creates_contacts = ${isOn} where id = ${workspaceId}`
  await appContext.models.reload(workspaceId)
}
