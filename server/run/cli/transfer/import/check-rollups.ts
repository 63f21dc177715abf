/** Checks the look-ups and rollups of an imported data model as those of requests, and has their values computed. */

import type { Transaction } from '#db/connect'
import type { Clock } from '#base/timing/clock'
import { type DataModel, type EntityType, indexEntityTypes } from '#engine/data-model/model'
import { findCycle, isRolledUp } from '#engine/rollups/definition'
import { parseLookup, parseRollup, renderLookup, renderRollup } from '#engine/rollups/parse-rollup'
import { insertRequests } from '#engine/rollups/rollup-queue'

/** Throws for a definition that no request could have made, whose SQL would fail. */
export function checkRollups(imported: DataModel): void {
  const model = withEverythingShown(imported)
  for (const entityType of model.entityTypes) {
    for (const attribute of entityType.attributes.filter(isRolledUp)) {
      const { type, is_multiselect, computed } = attribute
      const { lookup, rollup } = computed ?? {}
      const { types, isMultiselect, definition } =
        lookup !== undefined
          ? parseLookup(model, entityType, renderLookup(model, lookup))
          : parseRollup(model, entityType, renderRollup(model, rollup ?? { through: '', function: 'count' }))
      if (!types.includes(type) || is_multiselect !== isMultiselect || !Bun.deepEquals(definition, lookup ?? rollup))
        throw new Error(`The look-up or rollup ${attribute.api_slug} does not fit its attribute.`)
      if (computed && findCycle(model, attribute, computed))
        throw new Error(`The look-up or rollup ${attribute.api_slug} depends on itself.`)
    }
  }
}

/** The model as it was when the definitions were made: lists can have become private since, and objects disabled. */
function withEverythingShown(model: DataModel): DataModel {
  const entityTypes = model.entityTypes.map((entityType): EntityType => {
    const attributes = entityType.attributes.map((attribute) => ({ ...attribute, isHidden: false }))
    if (entityType.kind === 'list') return { ...entityType, attributes, workspace_access: 'read-only' }
    return entityType.kind === 'object'
      ? { ...entityType, attributes, is_enabled: true }
      : { ...entityType, attributes }
  })
  return { ...model, ...indexEntityTypes(entityTypes) }
}

/** Requests all values, which an export leaves out. Imported requests stay erasures. */
export async function requestImported(tx: Transaction, model: DataModel, now: Clock): Promise<void> {
  const attributes = [...model.attributesById.values()].filter(isRolledUp)
  const requests = attributes.map(({ id, entity_type_id }) => ({
    entityTypeId: entity_type_id,
    attributeId: id,
    entityId: null,
  }))
  await insertRequests(tx, model.workspace.id, requests, now())
}
