/** Parses references to records. See docs/reference/values.md (Record reference). */

import {
  allowedObjectIds,
  allowsObject,
  findAttribute,
  findObject,
  findRecordType,
  isEnabled,
  recordTypes,
} from '#engine/data-model/find'
import { closestSlug, isHidden } from '#engine/data-model/access/hidden'
import type { Attribute, DataModel, ObjectType, RecordType } from '#engine/data-model/model'
import { KEY_ATTRIBUTE_SLUGS } from '#engine/data-model/names'
import { InvalidValue, invalidValue, type ValidationIssue } from '#base/errors/api-error'
import { standardObjectDisabled, unknownObject } from '#base/errors/attributes'
import { invalidRequest } from '#base/errors/http'
import { matchingAttributeNotUnique, unknownAttributeKey } from '#base/errors/records'
import type { MatchingKey } from '#engine/attribute-types/define'
import { isUuid } from '#vocabulary/uuids'

/** A reference as it was written: an id, a value of a unique attribute, or a text that may be either. */
export interface Reference {
  readonly object: RecordType
  /** Lower case. */
  readonly id?: string
  readonly match?: { readonly attribute: Attribute; readonly key: string }
  /** The written text, for messages. */
  readonly written: string
}

type Written = string | { readonly target_object?: string; readonly target_record_id?: string }

/** An attribute, or a member that refers to records as an attribute does. */
export type Referring = Pick<Attribute, 'config'>
export function readReference(
  raw: Written,
  attribute: Referring,
  model: DataModel,
  matchingKey: MatchingKey,
): Reference {
  if (typeof raw === 'string') return readString(raw, attribute, model, matchingKey)
  const object = targetOf(raw.target_object, attribute, model)
  const id = raw.target_record_id
  if (id !== undefined) return { object, id: id.toLowerCase(), written: id }
  return readMatch(raw, object, model, matchingKey)
}

/** The object or activity of this slug or id, if attributes can refer to it. */
export function findTarget(model: DataModel, slugOrId: string): RecordType | undefined {
  const found = findRecordType(model, slugOrId)
  return found && isEnabled(found) ? found : undefined
}

/** The object of this slug or id, if notes, tasks, meetings and the like can be linked to its records. */
export function findLinkable(model: DataModel, slugOrId: string): ObjectType | undefined {
  const object = findObject(model, slugOrId)
  return object?.is_enabled ? object : undefined
}

/** The record that a list is limited to by its query parameters. Throws 400 for half a link and for an unknown object. */
export function findLinkFilter(
  model: DataModel,
  { linked_object, linked_record_id }: { readonly linked_object?: string; readonly linked_record_id?: string },
): { readonly objectId: string; readonly recordId: string } | undefined {
  if (linked_object === undefined && linked_record_id === undefined) return undefined
  if (linked_object === undefined || linked_record_id === undefined)
    throw invalidRequest('linked_object and linked_record_id must be given together.')
  const object = findLinkable(model, linked_object)
  if (object === undefined) throw unknownObject(linked_object)
  return { objectId: object.id, recordId: linked_record_id.toLowerCase() }
}

/** The object or activity that a body names. Throws errors of the catalogue. */
export function getTarget(model: DataModel, slugOrId: string): RecordType {
  const found = findRecordType(model, slugOrId)
  if (!found) throw unknownObject(slugOrId)
  if (!isEnabled(found)) throw standardObjectDisabled(found.id)
  return found
}

/** The id of an object that a body names, for a link to one of its records. Throws errors of the catalogue. */
export function getTargetId(model: DataModel, slugOrId: string): string {
  const object = findObject(model, slugOrId)
  if (!object) throw unknownObject(slugOrId)
  if (!object.is_enabled) throw standardObjectDisabled(object.id)
  return object.id
}

/** A bare string is a value of the object's key attribute. For objects without one, it is the id of the record. */
function readString(raw: string, attribute: Referring, model: DataModel, matchingKey: MatchingKey): Reference {
  const object = onlyTarget(attribute, model)
  if (!object) throw new InvalidValue([wrongType('object', 'string', [])])
  const text = raw.trim()
  const matched = keyAttributeOf(object)
  const id = isUuid(text) ? { id: text.toLowerCase() } : {}
  if (!matched || (isUuid(text) && matched.type !== 'text')) return { object, ...id, written: text }
  return { object, ...id, match: { attribute: matched, key: matchingKey(text, matched, model) }, written: text }
}

/** A reference by the text that identifies a record of a standard object: a domain of a company, an email address of a person. */
export function readIdentifier(
  text: string,
  standardSlug: 'companies' | 'people',
  model: DataModel,
  matchingKey: MatchingKey,
): Reference {
  const object = model.entityTypes.find(
    (each): each is ObjectType =>
      each.kind === 'object' && each.standard_slug === standardSlug && !isHidden(model, each),
  )
  const attribute = object && findAttribute(object, KEY_ATTRIBUTE_SLUGS[standardSlug] ?? '')
  if (!object || !attribute) throw unknownObject(standardSlug)
  return { object, match: { attribute, key: matchingKey(text, attribute, model) }, written: text }
}

/** The object or activity that a reference names. A reference may omit it if its attribute allows only one. */
function targetOf(slugOrId: string | undefined, attribute: Referring, model: DataModel): RecordType {
  if (slugOrId === undefined) {
    const only = onlyTarget(attribute, model)
    if (!only) throw new InvalidValue([wrongType('string', 'undefined', ['target_object'])])
    return only
  }
  const object = findTarget(model, slugOrId)
  if (!object) throw unknownObject(slugOrId, closestSlug(slugOrId, recordTypes(model)))
  if (allowsObject(attribute, object)) return object
  throw invalidValue(`This attribute cannot refer to records of ${object.kind} "${object.api_slug}".`, [
    'target_object',
  ])
}

/** `{"target_object":"people","email_addresses":["a@example.com"]}`: one other member, with one value. */
function readMatch(raw: object, object: RecordType, model: DataModel, matchingKey: MatchingKey): Reference {
  const [member, ...others] = Object.entries(raw).filter(([name]) => name !== 'target_object')
  if (!member) throw new InvalidValue([wrongType('string', 'undefined', ['target_record_id'])])
  if (others.length > 0) throw invalidValue('A reference by value has one member besides target_object.')
  const [name, values] = member
  const attribute = findAttribute(object, name)
  if (!attribute || attribute.is_archived) throw unknownAttributeKey(name, closestSlug(name, uniqueAttributes(object)))
  if (!attribute.is_unique) throw matchingAttributeNotUnique(attribute.api_slug)
  if (!Array.isArray(values) || values.length !== 1)
    throw invalidValue('Expected an array of exactly one value.', [name])
  const key = within([name, 0], () => matchingKey(values[0], attribute, model))
  const written = typeof values[0] === 'string' ? values[0] : key
  // The entity's own unique attribute is its id.
  if (attribute.stored_in === 'entity')
    return isUuid(key) ? { object, id: key.toLowerCase(), written } : { object, written }
  return { object, match: { attribute, key }, written }
}

/** The only object or activity that an attribute allows. */
function onlyTarget(attribute: Referring, model: DataModel): RecordType | undefined {
  const [id, ...others] = allowedObjectIds(attribute)
  return id !== undefined && others.length === 0 ? findTarget(model, id) : undefined
}

/** The attribute whose values are also read as references, without the name of their object. */
export const keyAttributeOf = (target: RecordType): Attribute | undefined =>
  target.kind === 'object' ? findAttribute(target, KEY_ATTRIBUTE_SLUGS[target.standard_slug ?? ''] ?? '') : undefined

const uniqueAttributes = ({ attributes }: RecordType): Attribute[] => attributes.filter(({ is_unique }) => is_unique)

/** Runs `read`, and prefixes the paths of its issues with `path`. */
function within<T>(path: (string | number)[], read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error
    throw new InvalidValue(error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] })))
  }
}

function wrongType(expected: string, received: string, path: string[]): ValidationIssue {
  const message = received === 'undefined' ? 'Required' : `Expected ${expected}, received ${received}`
  return { code: 'invalid_type', path, message, expected, received }
}
