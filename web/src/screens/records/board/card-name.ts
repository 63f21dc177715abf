import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import type { Entity } from '../../../api/records/entities'
import { nameIn, nameSlugs } from '../../../state/record-label'
import { recordName } from '../../../state/record-names.svelte'

/** The name of a card: that of its record. Null for a deleted record, undefined while it is loading. */
export function cardName(
  { parent, values }: Entity,
  entityType: EntityTypePath,
  attributes: readonly Attribute[],
): string | null | undefined {
  if (parent) return recordName(parent.object, parent.recordId)
  return nameIn(entityType, values, nameSlugs(entityType, attributes)) ?? 'Unnamed'
}
