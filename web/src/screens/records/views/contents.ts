import type { ViewInput } from '../../../api/data-model/views'
import type { ViewState } from '../table/view-state.svelte'

/** The filter, sorts and columns of a table, as a view stores them. */
export const contentsOf = ({ filter, sorts, columns }: ViewState): Omit<ViewInput, 'title'> => ({
  type: 'table',
  board: null,
  filter: { ...filter },
  sorts: [...sorts],
  visible_attributes: columns.map(({ api_slug }) => api_slug),
})
