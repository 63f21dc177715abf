/** Sends requests to SCIM as an identity provider does. */

import { addDomain, markVerified } from '../access/domains/domains'
import type { Answer, RequestOptions } from './client'
import type { TestService } from './service'

export interface ScimClient {
  /** `path` is below /scim/v2. Its query is encoded. */
  ask(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  /** Creates a user with a name, and with these attributes. */
  create(user: object): Promise<Answer>
  patch(path: string, operations: readonly object[]): Promise<Answer>
  /** Makes a domain a verified domain of the first workspace. */
  verify(domain: string): Promise<void>
}

export function scimClient({ request, db, workspaceId, appContext }: TestService): ScimClient {
  const ask: ScimClient['ask'] = (method, path, body, options) => {
    const [plain = '', query] = path.split('?')
    const encoded = query === undefined ? '' : `?${encodeURI(query).replaceAll('+', '%2B')}`
    const headers = { 'Content-Type': 'application/scim+json', ...options?.headers }
    return request(method, `/scim/v2${plain}${encoded}`, body, { ...options, headers })
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
      await db.sql.begin(async (tx) => {
        const { row } = await addDomain(tx, workspaceId, domain, appContext.now())
        await markVerified(tx, workspaceId, row.id, appContext.now())
      })
    },
  }
}
