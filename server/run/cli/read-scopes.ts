/** Parses the scopes that an option of a command names. */

import { READ_WRITE_SCOPES, isScope, type Scope } from '#vocabulary/scopes'
import { UsageError } from './command'

/** `all`, or names separated by commas: `record_permission:read-write,object_configuration:read`. */
export function readScopes(text: string): Scope[] {
  if (text === 'all') return [...READ_WRITE_SCOPES]
  const names = text.split(',').map((name) => name.trim())
  const scopes = new Set<Scope>()
  for (const name of names) {
    if (!isScope(name)) {
      const allScopes = READ_WRITE_SCOPES.map((scope) => scope.replace('-write', '[-write]')).join(', ')
      throw new UsageError(`"${name}" is not a scope; there are all, ${allScopes}.`)
    }
    scopes.add(name)
  }
  return [...scopes]
}
