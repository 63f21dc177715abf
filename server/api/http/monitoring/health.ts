/** Health checks for operators: `/healthz` says that the process runs, `/readyz` that it can serve requests, or why it cannot. */

import { Elysia } from 'elysia'
import { notReady } from '#base/errors/http'
import { withTimeout } from '#base/timing/wait'
import { JsonText, newRequestId, type Answers } from '#api/http/response/answer'
import { errorFromException } from '#api/http/response/error-from-exception'

const HIDDEN = { detail: { hide: true } }

/** Probes time out after a second. */
const PATIENCE_MS = 750

const NO_ANSWER = 'PostgreSQL does not answer.'

/** Returns why the process is not ready; undefined when it is. */
type ReadinessCheck = () => Promise<string | undefined>

export function healthRoutes(answers: Answers, findReason: ReadinessCheck, patienceMs = PATIENCE_MS) {
  const check = runOneAtATime(findReason)
  return new Elysia({ name: 'health' })
    .get('/healthz', ({ request }) => answers.json(request, newRequestId(), new JsonText('{"status":"alive"}')), HIDDEN)
    .get(
      '/readyz',
      async ({ request }) => {
        const id = newRequestId()
        try {
          const checked = check().then((found) => ({ found }))
          const { found: reason } = (await withTimeout(checked, patienceMs)) ?? { found: NO_ANSWER }
          if (reason !== undefined) throw notReady(reason, new Date(Date.now() + 1000))
          return await answers.json(request, id, new JsonText('{"status":"ready"}'))
        } catch (error) {
          return answers.error(request, id, errorFromException(error, request, id))
        }
      },
      HIDDEN,
    )
}

/** Shares one check between probes, so that they do not take all connections while the database does not answer. */
function runOneAtATime(findReason: ReadinessCheck): ReadinessCheck {
  let running: Promise<string | undefined> | undefined
  return () => (running ??= findReason().finally(() => (running = undefined)))
}
