/** Look-ups and rollups of a service, for tests. */

import { readFeeds } from '#crm/feed-worker'
import { newId } from '#base/ids'
import { refreshRollups } from '#engine/rollups/refresh'
import { insertRequests } from '#engine/rollups/rollup-queue'
import type { TestService } from './service'

/** Does the work of the worker. Each page has a transaction, after which `pause` is awaited. */
type Refresh = (stopping?: AbortSignal, pause?: (ms: number) => Promise<void>) => Promise<void>

export function rollupsOf(service: TestService) {
  const refresh: Refresh = (stopping = new AbortController().signal, pause = async () => {}) =>
    refreshRollups({ context: service.appContext, stopping, logFailure: throwFailure }, { pause, transactionMs: 0 })
  const work: Refresh = async (...parameters) => {
    await service.events()
    await readFeeds(service.appContext)
    await refresh(...parameters)
  }
  return {
    /** Does what was requested. */
    refresh,
    /** Does what follows from the writes until now. */
    work,
  }
}

/** Requests what follows from the deletion of a record for good, to which a look-up of the workspace referred. Returns the id of the record. */
export async function requestErasure({ db, workspaceId, appContext }: TestService): Promise<string> {
  const [found] = await db.sql<{ id: string; entity_type_id: string }[]>`
    select id, entity_type_id from relata.attributes where computed ? 'lookup' and workspace_id = ${workspaceId}`
  if (found === undefined) throw new Error('The workspace has no look-up.')
  const entityId = newId()
  const request = { entityTypeId: found.entity_type_id, attributeId: found.id, entityId, isErasure: true }
  await insertRequests(db.sql, workspaceId, [request], appContext.now())
  return entityId
}

function throwFailure(message: string, error: unknown): never {
  throw new Error(message, { cause: error })
}
