/** The role of a user, which identity providers write as `appRole` or as `roles`, in several forms. */

import { findProperty } from '#api/scim/json-values'
import { MAX_ROLE } from '#api/scim/limits'
import type { AttributePath } from '#api/scim/patch/path'

export type Role = 'admin' | 'member'

export const greatestRole = (roles: readonly Role[]): Role => (roles.includes('admin') ? 'admin' : 'member')

/** Returns undefined for a value without a role, such as an empty array. A role with another name is "member". */
export function readRoles(value: unknown, { subAttribute }: Pick<AttributePath, 'subAttribute'>): Role | undefined {
  // `roles[primary eq "True"].display` names no role.
  if (subAttribute !== '' && subAttribute !== 'value') return undefined
  const roles = (Array.isArray(value) ? value : [value]).map(readRole).filter((role) => role !== undefined)
  return roles.length === 0 ? undefined : greatestRole(roles)
}

function readRole(value: unknown): Role | undefined {
  const text = typeof value === 'string' ? value : findProperty(value, 'value')
  if (typeof text !== 'string' || text.trim() === '') return undefined
  return namedRole(text).trim().toLowerCase() === 'admin' ? 'admin' : 'member'
}

/** One provider sends a role as JSON in a text. */
function namedRole(text: string): string {
  if (!text.startsWith('{') || text.length > MAX_ROLE) return text.slice(0, MAX_ROLE)
  try {
    const value = findProperty(JSON.parse(text), 'value')
    return typeof value === 'string' ? value : ''
  } catch {
    return ''
  }
}
