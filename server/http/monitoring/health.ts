/** Health checks for operators: `/healthz` says that the process runs, `/readyz` that it can serve requests. */

import { Elysia } from 'elysia'
import { serviceUnavailable } from '../../errors/http'
import { withTimeout } from '../../timing/with-timeout'
import { JsonText, newRequestId, type Answers } from '../response/answer'
import { errorFromException } from '../response/error-from-exception'

const HIDDEN = { detail: { hide: true } }

/** Probes time out after a second. */
const PATIENCE_MS = 750

export function healthRoutes(answers: Answers, isReady: () => Promise<boolean>, patienceMs = PATIENCE_MS) {
  const check = runOneAtATime(isReady)
  return new Elysia({ name: 'health' })
    .get('/healthz', ({ request }) => answers.json(request, newRequestId(), new JsonText('{"status":"alive"}')), HIDDEN)
    .get(
      '/readyz',
      async ({ request }) => {
        const id = newRequestId()
        try {
          if ((await withTimeout(check(), patienceMs)) !== true) throw serviceUnavailable(new Date(Date.now() + 1000))
          return await answers.json(request, id, new JsonText('{"status":"ready"}'))
        } catch (error) {
          return answers.error(request, id, errorFromException(error, request, id))
        }
      },
      HIDDEN,
    )
}

/** Shares one check between probes, so that they do not take all connections while the database does not answer. */
function runOneAtATime(isReady: () => Promise<boolean>): () => Promise<boolean> {
  let running: Promise<boolean> | undefined
  return () => (running ??= isReady().finally(() => (running = undefined)))
}
