/** Runs a worker in tests as a process does, until nothing is due. */

import type { QueueWorkerDefinition } from '#engine/queue'

export async function runWorker<Context>(worker: QueueWorkerDefinition<Context>, context: Context): Promise<void> {
  const running = worker.start(context)
  await running.settled()
  await running.stop()
}
