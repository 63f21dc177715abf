/** The bodies of requests that create or update an API key. */

import { type Static, Type } from 'typebox'
import { type Scope, SCOPES_IN_ORDER } from '#vocabulary/scopes'
import { Name, answerOf, Creator, listOf, nullable, ScopeName, Timestamp } from '#api/console/schemas'

const Scopes = Type.Array(Type.Unsafe<Scope>(Type.Union(SCOPES_IN_ORDER.map((scope) => Type.Literal(scope)))), {
  minItems: 1,
  maxItems: SCOPES_IN_ORDER.length,
  uniqueItems: true,
})

export const KeyBody = Type.Object({ name: Name, scopes: Scopes })
export type KeyBody = Static<typeof KeyBody>

export const KeyChangeBody = Type.Partial(KeyBody)
export type KeyChangeBody = Static<typeof KeyChangeBody>

const KeyOutput = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  /** The last characters of the token. */
  hint: Type.String(),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  created_by: Creator,
})
export type KeyOutput = Static<typeof KeyOutput>

/** The token cannot be read again. */
const NewKey = Type.Object({ ...KeyOutput.properties, token: Type.String() })
export type NewKey = Static<typeof NewKey>

export const KeysAnswer = listOf(KeyOutput)
export const KeyAnswer = answerOf(KeyOutput)
export const NewKeyAnswer = answerOf(NewKey)
