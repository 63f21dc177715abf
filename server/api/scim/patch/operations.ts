/** Reads the body of a PATCH. RFC 7644, 3.5.2. */

import { invalidScimSyntax, removeWithoutPath, tooManyOperations } from '#base/errors/protocols/scim'
import { findProperty } from '#api/scim/json-values'
import { MAX_OPERATIONS } from '#api/scim/limits'
import { type AttributePath, parsePath } from './path'

export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  /** Undefined for an operation on the whole resource. A `remove` has a path. */
  readonly path: AttributePath | undefined
  /** Undefined when the operation has no value. */
  readonly value: unknown
}

/** Throws 400. */
export function readOperations(body: Readonly<Record<string, unknown>>): PatchOperation[] {
  const operations = findProperty(body, 'operations')
  if (!Array.isArray(operations) || operations.length === 0)
    throw invalidScimSyntax('"Operations" must be an array with at least one operation.')
  if (operations.length > MAX_OPERATIONS) throw tooManyOperations(MAX_OPERATIONS)
  return operations.map(readOperation)
}

function readOperation(operation: unknown): PatchOperation {
  const op = findProperty(operation, 'op')
  const name = typeof op === 'string' ? op.toLowerCase() : ''
  if (name !== 'add' && name !== 'replace' && name !== 'remove')
    throw invalidScimSyntax('The "op" of an operation must be "add", "replace" or "remove".')
  const path = findProperty(operation, 'path')
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw invalidScimSyntax('The "path" of an operation must be a text.')
  const isWhole = path === undefined || path === null || path === ''
  if (isWhole && name === 'remove') throw removeWithoutPath()
  return { op: name, path: isWhole ? undefined : parsePath(path), value: findProperty(operation, 'value') }
}
