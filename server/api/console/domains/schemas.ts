/** The body of a request that adds a domain. */

import { type Static, Type } from 'typebox'
import { answerOf, listOf, nullable, Timestamp } from '#api/console/schemas'

export const DomainBody = Type.Object({ domain: Type.String({ minLength: 1, maxLength: 253 }) })
export type DomainBody = Static<typeof DomainBody>

const DomainOutput = Type.Object({
  id: Type.String(),
  domain: Type.String(),
  /** The TXT record that proves the control of the domain. */
  record: Type.Object({ name: Type.String(), value: Type.String() }),
  created_at: Timestamp,
  verified_at: nullable(Timestamp),
})
export type DomainOutput = Static<typeof DomainOutput>

export const DomainsAnswer = listOf(DomainOutput)
export const DomainAnswer = answerOf(DomainOutput)
