/** Restarts a PostgreSQL server that ends unexpectedly. */

import { ServerStartError, type Server } from './server'

export interface SupervisorEvents {
  /** Called when PostgreSQL has ended unexpectedly, before the restart. */
  readonly onRestart?: () => void
  /** Called when all attempts to restart have failed. */
  readonly onLost?: (problem: unknown) => void
}

const ATTEMPTS = 10

/** Returns a function that stops the server and the supervision. */
export function supervise(
  first: Server,
  start: () => Promise<Server>,
  { onRestart, onLost }: SupervisorEvents,
): () => Promise<void> {
  let server = first
  let isStopping = false
  const watch = async () => {
    while (true) {
      await server.exited
      if (isStopping) return
      onRestart?.()
      server = await restart(start)
      if (isStopping) await server.stop()
    }
  }
  const watching = watch().catch((problem: unknown) => onLost?.(problem))
  return async () => {
    isStopping = true
    await server.stop()
    await watching
  }
}

/** Tries several times, because processes of the old server may still be ending. */
async function restart(start: () => Promise<Server>): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof ServerStartError) || attempt === ATTEMPTS) throw error
      await Bun.sleep(attempt * 200)
    }
  }
}
