/** What each type of attribute may be, so that only what the service takes is offered; a test compares it with the server. */

import type { TypeName } from '../../../server/data-model/type-names'

export interface Allowed {
  readonly multiselect: boolean
  readonly unique: boolean
  /** Whether people can make such attributes; others every object has from the beginning. */
  readonly create: boolean
}

const ONE: Allowed = { multiselect: false, unique: false, create: true }
const ONE_OR_UNIQUE: Allowed = { ...ONE, unique: true }
const MANY: Allowed = { ...ONE, multiselect: true }
const MANY_OR_UNIQUE: Allowed = { multiselect: true, unique: true, create: true }
const GIVEN: Allowed = { ...ONE, create: false }

/** Also of a type that this console does not know yet. */
export const allowedOf = (type: string): Allowed =>
  (ALLOWED as Readonly<Record<string, Allowed | undefined>>)[type] ?? GIVEN

export const ALLOWED: Readonly<Record<TypeName, Allowed>> = {
  text: ONE_OR_UNIQUE,
  number: ONE_OR_UNIQUE,
  checkbox: ONE,
  currency: ONE,
  date: ONE,
  timestamp: ONE_OR_UNIQUE,
  rating: ONE,
  status: ONE,
  select: MANY,
  'record-reference': MANY,
  'actor-reference': MANY,
  location: ONE,
  domain: MANY_OR_UNIQUE,
  'email-address': MANY_OR_UNIQUE,
  'phone-number': MANY_OR_UNIQUE,
  interaction: GIVEN,
  'personal-name': GIVEN,
}
