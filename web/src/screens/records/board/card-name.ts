import type { Attribute } from '../../../api/data-model/attributes'
import type { Entity } from '../../../api/records/entities'
import { labelIn, labelSlugs } from '../../../state/record-label'
import { recordName } from '../../../state/record-names.svelte'

/** The name of a card: that of its record. Null for a deleted record, undefined while it is loading. */
export function cardName(
  { parent, values }: Entity,
  object: string,
  attributes: readonly Attribute[],
): string | null | undefined {
  if (parent) return recordName(parent.object, parent.recordId)
  return labelIn(values, labelSlugs(object, attributes)) ?? 'Unnamed'
}
