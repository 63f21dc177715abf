/** The metrics endpoint, and the counting of responses. See docs/decisions/readiness-and-metrics.md. */

import { Elysia } from 'elysia'
import type { Metrics } from './metrics'
import { renderFamilies } from '#base/monitoring/metric-families'
import { newRequestId, type Answers } from '#api/http/response/answer'
import type { GuardedHandler } from '#api/http/guard/route'

const FORMAT = 'text/plain; version=0.0.4; charset=utf-8'

/** Returns a plugin without a route when metrics are not served. */
export function metricsRoutes(answers: Answers, metrics: Metrics | undefined) {
  const routes = new Elysia({ name: 'metrics' })
  if (metrics?.isServed !== true) return routes
  return routes.get(
    '/metrics',
    () =>
      new Response(renderFamilies(metrics.families()), {
        headers: { ...answers.headers(newRequestId()), 'Content-Type': FORMAT },
      }),
    { detail: { hide: true } },
  )
}

/** Returns a handler that also counts its responses, or the same handler when metrics are off. */
export function countResponses(
  metrics: Metrics | undefined,
  operation: string,
  handler: GuardedHandler,
): GuardedHandler {
  if (metrics === undefined) return handler
  // Elysia reads the parameter list of this function to decide what it prepares for each request.
  return async ({ request, params, bearer }) => {
    const begun = performance.now()
    const response = await handler({ request, params, bearer })
    metrics.countRequest(operation, response.status, (performance.now() - begun) / 1000)
    return response
  }
}
