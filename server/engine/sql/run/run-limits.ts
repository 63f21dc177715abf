/** What ends a statement before its last row: its client, the service that stops, the time limit, the limits of its result. */

import type { StopReason } from './run-errors'

export interface Run {
  readonly stop: AbortController
  /** Why the statement was ended. Undefined while it was not. */
  reason(): StopReason | undefined
  /** Stops watching. */
  end(): void
}

interface Watched {
  readonly client: AbortSignal | undefined
  readonly shutdown: AbortSignal | undefined
  readonly timeoutMs: number
}

export function startRun({ client, shutdown, timeoutMs }: Watched): Run {
  const stop = new AbortController()
  let reason: StopReason | undefined
  const stopFor = (cause: StopReason) => () => {
    reason ??= cause
    stop.abort()
  }
  const [byClient, byShutdown] = [stopFor('client'), stopFor('shutdown')]
  const timer = setTimeout(stopFor('time'), timeoutMs)
  client?.addEventListener('abort', byClient)
  shutdown?.addEventListener('abort', byShutdown)
  if (client?.aborted === true) byClient()
  if (shutdown?.aborted === true) byShutdown()
  return {
    stop,
    reason: () => reason ?? (stop.signal.aborted ? 'limits' : undefined),
    end() {
      clearTimeout(timer)
      client?.removeEventListener('abort', byClient)
      shutdown?.removeEventListener('abort', byShutdown)
    },
  }
}
