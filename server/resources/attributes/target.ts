/** Which attribute a path names, and who may do what with it. */

import { OBJECT_PATH } from '../../access/list-access/entity-type-path'
import { getAttribute, isVisibleToClients } from '../../data-model/find'
import type { Attribute, DataModel, EntityType } from '../../data-model/model'
import { attributeNotFound, systemAttributeNotEditable } from '../../errors/attributes'

/**
 * What an older contract asked for, for attributes of lists as well; it still does.
 * See docs/reference/access-and-oauth.md (Scopes).
 */
export const OLDER_SCOPES = { read: OBJECT_PATH.read, write: OBJECT_PATH.write }

/** An attribute a client may know of, archived or not. Throws 404. */
export function getListed(model: DataModel, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getAttribute(entityType, slugOrId)
  if (!isVisibleToClients(model, attribute)) throw attributeNotFound(slugOrId)
  return attribute
}

/** An attribute that clients may change. See docs/reference/objects-and-attributes.md (Attributes). */
export function getEditable(model: DataModel, entityType: EntityType, slugOrId: string): Attribute {
  const attribute = getListed(model, entityType, slugOrId)
  if (attribute.is_system_attribute) throw systemAttributeNotEditable()
  return attribute
}

/** An attribute as it has become; it may have another slug than before. */
export function getById(model: DataModel, id: string): Attribute {
  const attribute = model.attributesById.get(id)
  if (!attribute) throw attributeNotFound(id)
  return attribute
}
