/** The address of a user, which is its `userName`. */

import { invalidScimValue } from '#base/errors/protocols/scim'
import type { Filter } from '#api/scim/filter/filter'
import { findProperty } from '#api/scim/json-values'

const MAX_LENGTH = 320
const ADDRESS = /^[^\s@<>"(),:;\p{Cc}]+@[^\s@<>"(),:;\p{Cc}]+$/u

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_LENGTH && ADDRESS.test(value)

/** Returns the address in lower case. Throws 400 for a text that is none. */
export function readUserName(value: unknown): string {
  if (!isAddress(value)) throw invalidScimValue('"userName" must be an email address, because members sign in with it.')
  return value.toLowerCase()
}

/** Returns the primary address, that of the type "work", or the only one, of what a request sends as `emails`. */
export function findWorkAddress(value: unknown): string | undefined {
  const emails = Array.isArray(value) ? value : [value]
  const isPrimary = (email: unknown) => String(findProperty(email, 'primary')).toLowerCase() === 'true'
  const isWork = (email: unknown) => String(findProperty(email, 'type')).toLowerCase() === 'work'
  const only = emails.length === 1 ? emails[0] : undefined
  const found = emails.find(isPrimary) ?? emails.find(isWork) ?? only
  const text = typeof found === 'string' ? found : findProperty(found, 'value')
  return isAddress(text) ? text.toLowerCase() : undefined
}

/** Whether a filter of `emails` selects the address of a user, whose type is "work" and which is primary. */
export function isOfWorkAddress(filter: Filter | undefined): boolean {
  if (filter === undefined) return true
  if (filter.kind === 'and') return filter.filters.every(isOfWorkAddress)
  if (filter.kind !== 'compare' || filter.operator !== 'eq') return false
  const operand = String(filter.operand).toLowerCase()
  if (filter.attribute === 'type') return operand === 'work'
  return filter.attribute === 'primary' && operand === 'true'
}
