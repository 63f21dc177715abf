import { sortAlongPath, viewColumn } from '../../../api/records/referenced-values'
import type { ViewInput } from '../../../api/data-model/views'
import type { ViewState } from '../table/view-state.svelte'

/** The filter, sorts and columns of a table, as a view stores them. */
export const contentsOf = ({ entityType, filter, sorts, columns, groupBy }: ViewState): Omit<ViewInput, 'title'> => ({
  type: 'table',
  board: null,
  group_by: groupBy?.id.attribute_id ?? null,
  filter: { ...filter },
  sorts: sorts.map((sort) => sortAlongPath(entityType, sort)),
  visible_attributes: columns.map(viewColumn),
})
