/** Finds the attribute that a path names, and the scopes that its operations need. */

import { requireWritableSides } from '#engine/entities/write/require-writable'
import { OBJECT_PATH } from '#access/list-access/entity-type-path'
import { getAttribute, isVisibleToClients } from '#engine/data-model/find'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { attributeNotFound, systemAttributeNotEditable } from '#base/errors/attributes'

/**
 * The scopes of an older contract, which are also valid for attributes of lists.
 * See docs/reference/access-and-oauth.md (Scopes).
 */
export const OLDER_SCOPES = { read: OBJECT_PATH.read, write: OBJECT_PATH.write }

/** Returns an attribute that clients can see, also an archived one. Throws 404. */
export function getListed(model: DataModel, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getAttribute(entityType, slugOrId)
  if (!isVisibleToClients(model, attribute)) throw attributeNotFound(slugOrId)
  return attribute
}

/** Returns an attribute that clients may change. Throws 403 if its other side is on an object that the member may only read. See docs/reference/objects-and-attributes.md (Attributes). */
export function getEditable(model: DataModel, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getListed(model, entityType, slugOrId)
  if (attribute.is_system_attribute) throw systemAttributeNotEditable()
  requireWritableSides(model, [{ attribute }])
  return attribute
}

/** Returns an attribute after a change, which may have changed its slug. */
export function getById(model: DataModel, id: string): Attribute {
  const attribute = model.attributesById.get(id)
  if (!attribute) throw attributeNotFound(id)
  return attribute
}
