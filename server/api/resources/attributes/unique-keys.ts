/**
 * Inserts or deletes the unique keys of an attribute when `is_unique` changes. Stored duplicates remain.
 * See docs/reference/values.md (Unique values).
 */

import type { ModelChange } from '#engine/data-model/change-model'
import type { Attribute, EntityType } from '#engine/data-model/model'
import { compileLayout, creationOf, idOf, type Layout, type Row } from '#engine/storage/layout'
import { uniqueKeys } from '#engine/storage/unique-keys'
import { deleteUniqueKeys, insertFreeKeys } from '#engine/storage/statements/attribute-statements'
import { readPage } from '#engine/storage/statements/entity-type-statements'

/** When several entities have the same value, the entity that was created first gets the key. */
export async function changeUniqueness(step: ModelChange, entityType: EntityType, attribute: Attribute): Promise<void> {
  const { tx, model } = step
  if (!attribute.is_unique) return deleteUniqueKeys(tx, model, [attribute])
  const layout = compileLayout(model, entityType, [attribute])
  let page = await readPage(tx, entityType, layout)
  for (;;) {
    const last = page.at(-1)
    if (!last) return
    const keys = page.flatMap((row) => keysOf(attribute, layout, row))
    await insertFreeKeys(tx, model, keys)
    page = await readPage(tx, entityType, layout, last)
  }
}

function keysOf(attribute: Attribute, { attributes }: Layout, row: Row) {
  const versions = attributes.flatMap(({ read }) => read(row, creationOf(row), null))
  const keys = uniqueKeys(
    attribute,
    versions.map(({ stored }) => stored),
  )
  return keys.map((key) => ({ ...key, entity_id: idOf(row) }))
}
