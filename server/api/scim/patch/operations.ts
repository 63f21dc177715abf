/** Reads the body of a PATCH. RFC 7644, 3.5.2. */

import { invalidPath, invalidScimSyntax, removeWithoutPath, tooManyOperations } from '#base/errors/protocols'
import { findProperty } from '#api/scim/json-values'
import { SCIM_LIMITS } from '#api/scim/scim-context'
import { ApiError } from '#base/errors/api-error'
import { attributeName, parseScimFilter, type ScimFilter } from '#api/scim/filter/parse'

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
  if (operations.length > SCIM_LIMITS.operations) throw tooManyOperations(SCIM_LIMITS.operations)
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

/** The path of an operation of a PATCH. RFC 7644, 3.5.2. */
export interface AttributePath {
  /** In lower case. Empty for the schema of the resource itself. */
  readonly attribute: string
  /** Chooses values of a multi-valued attribute. */
  readonly filter?: ScimFilter
  /** In lower case; empty for the whole attribute. */
  readonly subAttribute: string
}

const NAME = /^([a-z$][\w$-]*)(?:\.([a-z$][\w$-]*))?$/
const WITH_FILTER = /^([a-z$][\w$-]*)$/
const SUB_ATTRIBUTE = /^\.([a-z$][\w$-]*)$/
const OTHER_SCHEMA = 'urn:'

/** Throws 400 `invalidPath`. An attribute of an extension has the URN of its schema as its name. */
function parsePath(text: string): AttributePath {
  if (text.length > SCIM_LIMITS.pathLength) throw invalidPath(text)
  const start = text.indexOf('[')
  if (start === -1) return parseName(attributeName(text.trim()), text)
  const end = text.lastIndexOf(']')
  const [, attribute] = WITH_FILTER.exec(attributeName(text.slice(0, start).trim())) ?? []
  const [, subAttribute = ''] = SUB_ATTRIBUTE.exec(text.slice(end + 1).toLowerCase()) ?? []
  const isComplete = end > start && (subAttribute !== '' || end === text.length - 1)
  if (attribute === undefined) return isComplete ? otherSchema(text) : refuse(text)
  if (!isComplete) return refuse(text)
  return { attribute, filter: filterOf(text, start, end), subAttribute }
}

/** The name of an attribute in an object, or undefined for a name that no attribute has. */
export function parseMemberName(name: string): AttributePath | undefined {
  const text = attributeName(name.slice(0, SCIM_LIMITS.pathLength))
  // The URN of the schema of users or groups holds an object with their attributes.
  if (text === '' && name !== '') return { attribute: '', subAttribute: '' }
  const [, attribute, subAttribute = ''] = NAME.exec(text) ?? []
  return attribute === undefined ? undefined : { attribute, subAttribute }
}

function parseName(name: string, text: string): AttributePath {
  if (name === '') return text.trim() === '' ? refuse(text) : { attribute: '', subAttribute: '' }
  const [, attribute, subAttribute = ''] = NAME.exec(name) ?? []
  return attribute === undefined ? otherSchema(text) : { attribute, subAttribute }
}

/** The attributes of other schemas are accepted and not stored. */
function otherSchema(text: string): AttributePath {
  const attribute = text.trim().toLowerCase()
  return attribute.startsWith(OTHER_SCHEMA) ? { attribute, subAttribute: '' } : refuse(text)
}

function filterOf(text: string, start: number, end: number): ScimFilter {
  try {
    return parseScimFilter(text.slice(start + 1, end))
  } catch (error) {
    if (error instanceof ApiError) throw invalidPath(text)
    throw error
  }
}

function refuse(text: string): never {
  throw invalidPath(text)
}
