/** The bodies of requests that create or update an API key. */

import { type Static, Type } from 'typebox'
import { AREAS, type Area, type Scope } from '#vocabulary/scopes'
import { Name } from '#api/console/schemas'

const SCOPES = (Object.keys(AREAS) as Area[]).flatMap((area): Scope[] => [`${area}:read`, `${area}:read-write`]) // the names of areas

const Scopes = Type.Array(Type.Union(SCOPES.map((scope) => Type.Literal(scope))), {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
})

export const KeyBody = Type.Object({ name: Name, scopes: Scopes })
export type KeyBody = Static<typeof KeyBody>

export const KeyChangeBody = Type.Partial(KeyBody)
export type KeyChangeBody = Static<typeof KeyChangeBody>
