/** Which settings the service allows for each attribute type. A test compares them with the server. */

import type { TypeName } from '#engine/data-model/model'

export interface Allowed {
  readonly multiselect: boolean
  readonly unique: boolean
  /** Whether people can create attributes of this type. */
  readonly create: boolean
}

const ONE: Allowed = { multiselect: false, unique: false, create: true }
const ONE_OR_UNIQUE: Allowed = { ...ONE, unique: true }
const MANY: Allowed = { ...ONE, multiselect: true }
const MANY_OR_UNIQUE: Allowed = { multiselect: true, unique: true, create: true }
const NOT_CREATABLE: Allowed = { ...ONE, create: false }

/** A type that is newer than this console can be neither created nor changed. */
export const allowedOf = (type: string): Allowed =>
  (ALLOWED as Readonly<Record<string, Allowed | undefined>>)[type] ?? NOT_CREATABLE

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
  interaction: NOT_CREATABLE,
  'personal-name': NOT_CREATABLE,
}
