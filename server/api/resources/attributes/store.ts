/** The rows of attributes and their options, and the rows that changes of them read and write. */

import { jsonb, equal } from '#engine/data-model/kysely-in-transaction'
import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute, DataModel, EntityType } from '#engine/data-model/model'
import { requireWritableSides } from '#engine/entities/write/parse-values'
import type { FindEntityType } from '#access/list-access/entity-type-path'
import { getAttribute, isVisibleToClients } from '#engine/data-model/find'
import { attributeNotFound, systemAttributeNotEditable } from '#base/errors/attributes'
import type { RequestContext } from '#context'
import { isRolledUp } from '#engine/rollups/definition'
import { readComputedAt, readProgress } from '#engine/rollups/progress'
import { timestampFromMicros } from '#base/timing/clock'
import { limitOffsetOf } from '#api/http/request/pagination'
import { renderAttribute } from './render'
import type { AttributeOutput, ListQuery } from './schemas'

/** Updates all columns of an attribute that can change. */
export async function saveAttribute({ control, model }: ModelChange, attribute: Attribute): Promise<void> {
  const { title, description, api_slug, is_required, is_unique, has_duplicates, is_archived } = attribute
  const { default_value, is_default_value_enabled, config, computed } = attribute
  await control
    .updateTable('relata.attributes')
    .set({
      title,
      description,
      api_slug,
      is_required,
      is_unique,
      has_duplicates,
      is_archived,
      is_default_value_enabled,
    })
    .set({ config: jsonb(config), default_value: default_value === null ? null : jsonb(default_value) })
    .set({ computed: computed ? jsonb(computed) : null })
    .where(equal({ workspace_id: model.workspace.id, id: attribute.id }))
    .execute()
}

// Finds the attribute that a path names.

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
export function getAttributeById(model: DataModel, id: string): Attribute {
  const attribute = model.attributesById.get(id)
  if (!attribute) throw attributeNotFound(id)
  return attribute
}

// Lists and reads attributes. See docs/reference/objects-and-attributes.md (Attributes).

/** Returns the attributes in display order, with archived ones if the query asks for them. */
export function listAttributes(
  { model }: RequestContext,
  entityType: FindEntityType,
  query: ListQuery,
): AttributeOutput[] {
  const attributes = entityType(model).attributes.filter(
    (attribute) => isVisibleToClients(model, attribute) && (query.show_archived === true || !attribute.is_archived),
  )
  return limitOffsetOf(attributes, query).map((attribute) => renderAttribute(model, attribute))
}

/** Returns an attribute, also an archived one. Of a computed one it says how far the workers are. */
export async function readAttribute(
  { model, db, now }: RequestContext,
  entityType: FindEntityType,
  slugOrId: string,
): Promise<AttributeOutput> {
  const attribute = getListed(model, entityType(model), slugOrId)
  const { computed, ...output } = renderAttribute(model, attribute)
  if (computed === undefined) return output
  const computedAt = isRolledUp(attribute) ? await readComputedAt(db.sql, model, now) : undefined
  const progress = computed.is_complete ? undefined : await readProgress(db.sql, model, attribute)
  return {
    ...output,
    computed: {
      ...computed,
      ...(computedAt !== undefined && { computed_at: timestampFromMicros(computedAt) }),
      ...(progress && { progress }),
    },
  }
}
