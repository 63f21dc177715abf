/** Keeps a PostgreSQL running: one that ends without being asked to is started again. */

import { ServerFailed, type Server } from './server'

export interface Supervision {
  /** Told when PostgreSQL died by itself and is being started again. */
  readonly onRestart?: () => void
  /** Told when it could not be started again; nothing more will happen. */
  readonly onLost?: (problem: unknown) => void
}

const ATTEMPTS = 10

/** Gives back how to stop it for good. */
export function supervise(
  first: Server,
  start: () => Promise<Server>,
  { onRestart, onLost }: Supervision,
): () => Promise<void> {
  let server = first
  let isStopping = false
  const watch = async () => {
    while (true) {
      await server.exited
      if (isStopping) return
      onRestart?.()
      server = await startAgain(start)
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

/** The remains of the old server may need a moment to end. */
async function startAgain(start: () => Promise<Server>): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start()
    } catch (error) {
      if (!(error instanceof ServerFailed) || attempt === ATTEMPTS) throw error
      await Bun.sleep(attempt * 200)
    }
  }
}
