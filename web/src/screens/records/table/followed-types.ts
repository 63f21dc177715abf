/** The objects, lists and activities whose changes change what a table computes. */

import { isReferencedSlug } from '../../../api/records/referenced-values'
import { entityTypeIdOf, getDataModel } from '../../../state/data-model.svelte'
import type { ChosenTotal } from './footer/total-choices.svelte'
import type { ViewState } from './view-state.svelte'

/** The ids, as text so that an equal list continues with the changes that it has collected: that of the table, and of referenced records. */
export function followedTypes({ entityType }: ViewState, columns: readonly Pick<ChosenTotal, 'attribute'>[]): string {
  const own = entityTypeIdOf(getDataModel().data, entityType)
  const referenced = columns.filter(({ attribute }) => isReferencedSlug(attribute.api_slug))
  return [...new Set([own, ...referenced.map(({ attribute }) => attribute.id.object_id)])].join()
}
