/** For those who watch over the service: whether the process lives, and whether it can serve. Design 10. */

import { Elysia } from 'elysia'
import { unavailable } from '../errors'
import { JsonText, newRequestId, type Answers } from './answer'
import { failureOf } from './failure'

const HIDDEN = { detail: { hide: true } }

export const healthRoutes = (answers: Answers, isReady: () => Promise<boolean>) =>
  new Elysia({ name: 'health' })
    .get('/healthz', ({ request }) => answers.json(request, newRequestId(), new JsonText('{"status":"alive"}')), HIDDEN)
    .get(
      '/readyz',
      async ({ request }) => {
        const id = newRequestId()
        try {
          if (!(await isReady())) throw unavailable(new Date(Date.now() + 1000))
          return await answers.json(request, id, new JsonText('{"status":"ready"}'))
        } catch (error) {
          return answers.error(request, id, failureOf(error, request, id))
        }
      },
      HIDDEN,
    )
