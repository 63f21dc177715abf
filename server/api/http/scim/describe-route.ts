/** Describes the routes of SCIM for the OpenAPI document. */

import type { Scope } from '#vocabulary/scopes'

export interface ScimSpec {
  /** The operation's id in the OpenAPI document. */
  readonly operation: string
  readonly summary: string
  /** Whether the operation only reads. It decides which scope the caller needs. */
  readonly access: 'read' | 'read-write'
  readonly status: 200 | 201 | 204
  /** The names of query parameters. */
  readonly query?: readonly string[]
  /** An example of the body. Undefined for an operation without a body. */
  readonly body?: object
}

const ERRORS = [400, 401, 403, 404, 409, 413, 429, 500]

const SCIM_OBJECT = { type: 'object', properties: { schemas: { type: 'array', items: { type: 'string' } } } }
const SCIM_ERROR = {
  type: 'object',
  properties: {
    schemas: { type: 'array', items: { type: 'string' } },
    status: { type: 'string' },
    scimType: { type: 'string' },
    detail: { type: 'string' },
  },
  required: ['schemas', 'status', 'detail'],
}

const content = (schema: object) => ({ 'application/scim+json': { schema } })

/** `scope` is undefined for an operation that needs no token. */
export const describeScimRoute = (spec: ScimSpec, scope: Scope | undefined): object => ({
  operationId: spec.operation,
  summary: spec.summary,
  description: scope === undefined ? 'Needs no token.' : `Required scopes: \`${scope}\`.`,
  tags: ['SCIM'],
  parameters: (spec.query ?? []).map((name) => ({
    name,
    in: 'query',
    required: false,
    schema: { type: name === 'startIndex' || name === 'count' ? 'integer' : 'string' },
  })),
  ...(spec.body && { requestBody: { required: true, content: content({ ...SCIM_OBJECT, examples: [spec.body] }) } }),
  responses: {
    [spec.status]: { description: 'Done', ...(spec.status === 204 ? {} : { content: content(SCIM_OBJECT) }) },
    ...Object.fromEntries(ERRORS.map((status) => [status, { description: 'Error', content: content(SCIM_ERROR) }])),
  },
  security: scope === undefined ? [] : [{ oauth2: [scope] }, { bearer: [] }, { basic: [] }],
  ...(scope === undefined ? {} : { 'x-required-scopes': [scope] }),
})
