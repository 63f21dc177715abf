/** The body of a request that adds a domain. */

import { type Static, Type } from 'typebox'

export const DomainBody = Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) })
export type DomainBody = Static<typeof DomainBody>
