/** Lists every operation below /v2 of the OpenAPI document, for tests that call all of them. */

import type { Scope } from '#vocabulary/scopes'
import type { TestService } from './service'

export interface Operation {
  readonly id: string
  readonly method: string
  /** The path with parameter names in braces. */
  readonly template: string
  /** A path of this operation, with the object people and ids that do not exist. */
  readonly path: string
  /** Undefined for an operation that needs no token. */
  readonly scopes: readonly Scope[] | undefined
}

interface Documented {
  readonly operationId: string
  readonly 'x-required-scopes'?: readonly Scope[]
}

export async function allOperations(service: TestService): Promise<Operation[]> {
  const { body } = await service.request('GET', '/openapi.json')
  const paths: Record<string, Record<string, Documented>> = body.paths
  const below = Object.entries(paths).filter(([template]) => template.startsWith('/v2/'))
  return below.flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, documented]) => ({
      id: documented.operationId,
      method: method.toUpperCase(),
      template,
      path: template.replace('{object}', 'people').replaceAll(/\{\w+\}/g, '11111111-1111-4111-8111-111111111111'),
      scopes: documented['x-required-scopes'],
    })),
  )
}

/** Whether an operation only reads. See docs/reference/errors-and-limits.md (Rate limits). */
export const isRead = ({ method, template }: Operation): boolean =>
  method === 'GET' || /\/(?:query|aggregate|status-history|search|sql)$/.test(template)
