/** Where Prometheus asks, and what it is told by. Design 10, decision 0052. */

import { Elysia } from 'elysia'
import type { Metrics } from './metrics'
import { newRequestId, type Answers } from '../response/answer'
import type { Guarded } from '../guard/route'

const FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

/** No route at all unless something is measured. */
export function metricsRoutes(answers: Answers, metrics: Metrics | undefined) {
  const routes = new Elysia({ name: 'metrics' })
  if (metrics === undefined) return routes
  return routes.get(
    '/metrics',
    () => new Response(metrics.render(), { headers: { ...answers.headers(newRequestId()), 'Content-Type': FORMAT } }),
    { detail: { hide: true } },
  )
}

/** The same handler, with its answers counted; itself where nothing is measured. */
export function measured(metrics: Metrics | undefined, operation: string, handler: Guarded['0']): Guarded['0'] {
  if (metrics === undefined) return handler
  // Named members only: Elysia reads from this source text what it must prepare for each request.
  return async ({ request, params }) => {
    const begun = performance.now()
    const response = await handler({ request, params })
    metrics.countRequest(operation, response.status, (performance.now() - begun) / 1000)
    return response
  }
}
