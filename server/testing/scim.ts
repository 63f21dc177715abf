/** Sends requests to SCIM as an identity provider does. */

import { addDomain, markVerified } from '#access/domains/domains'
import type { Answer, RequestOptions } from './client'
import type { TestService } from './service'

/** The members of all bodies of SCIM. A test that reads one that its response lacks gets undefined and fails. */
export interface ScimBody {
  readonly schemas: readonly string[]
  readonly id: string
  readonly externalId?: string
  readonly userName: string
  readonly name: { readonly givenName?: string; readonly familyName?: string }
  readonly emails: readonly { readonly value: string }[]
  readonly active: boolean
  readonly appRole?: string
  readonly roles?: readonly { readonly value: string; readonly primary: boolean }[]
  readonly groups: readonly { readonly value: string; readonly display: string; readonly $ref: string }[]
  readonly displayName: string
  readonly members: readonly { readonly value: string; readonly display: string; readonly $ref: string }[]
  readonly meta: { readonly created: string; readonly lastModified: string; readonly location: string }
  /** Of lists. */
  readonly Resources: readonly ScimBody[]
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  /** Of errors. */
  readonly status: string
  readonly scimType?: string
  readonly detail: string
  /** Of the service provider configuration. */
  readonly patch: { readonly supported: boolean }
  readonly bulk: { readonly supported: boolean }
  readonly filter: { readonly maxResults: number }
  readonly sort: { readonly supported: boolean }
  /** Of schemas. */
  readonly attributes: readonly { readonly name: string }[]
}

export interface ScimAnswer extends Answer {
  readonly body: ScimBody
}

export interface ScimClient {
  /** `path` is below /scim/v2. Its query is encoded. */
  ask(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<ScimAnswer>
  /** Creates a user with a name, and with these attributes. */
  create(user: object): Promise<ScimAnswer>
  patch(path: string, operations: readonly object[]): Promise<ScimAnswer>
  /** Makes a domain a verified domain of the first workspace. */
  verify(domain: string): Promise<void>
}

export function scimClient(service: TestService): ScimClient {
  const ask: ScimClient['ask'] = (method, path, body, options) => {
    const [plain = '', query] = path.split('?')
    const encoded = query === undefined ? '' : `?${encodeURI(query).replaceAll('+', '%2B')}`
    const headers = { 'Content-Type': 'application/scim+json', ...options?.headers }
    return service.request(method, `/scim/v2${plain}${encoded}`, body, { ...options, headers })
  }
  return {
    ask,
    create: (user) =>
      ask('POST', '/Users', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        name: { givenName: 'Ana', familyName: 'Lima' },
        ...user,
      }),
    patch: (path, Operations) =>
      ask('PATCH', path, { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations }),
    async verify(domain) {
      const { db, workspaceId, appContext } = service
      await db.sql.begin(async (tx) => {
        const { row } = await addDomain(tx, workspaceId, domain, appContext.now())
        await markVerified(tx, workspaceId, row.id, appContext.now())
      })
    },
  }
}
