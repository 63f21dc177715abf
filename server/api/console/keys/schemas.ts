/** The bodies of requests that create or update an API key. */

import { type Static, Type } from 'typebox'
import { SCOPES_IN_ORDER } from '#vocabulary/scopes'
import { Name } from '#api/console/schemas'

const Scopes = Type.Array(Type.Union(SCOPES_IN_ORDER.map((scope) => Type.Literal(scope))), {
  minItems: 1,
  maxItems: SCOPES_IN_ORDER.length,
  uniqueItems: true,
})

export const KeyBody = Type.Object({ name: Name, scopes: Scopes })
export type KeyBody = Static<typeof KeyBody>

export const KeyChangeBody = Type.Partial(KeyBody)
export type KeyChangeBody = Static<typeof KeyChangeBody>
