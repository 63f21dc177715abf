/** Look-ups and rollups of a service, for tests. */

import { readFeeds } from '#crm/feed-worker'
import { refreshRollups } from '#engine/rollups/refresh'
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

function throwFailure(message: string, error: unknown): never {
  throw new Error(message, { cause: error })
}
