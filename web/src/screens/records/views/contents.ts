import type { ViewInput } from '../../../api/views'
import type { Look } from '../table/view-state.svelte'

/** What a view keeps of how a table looks now. */
export const contentsOf = ({ filter, sorts, columns }: Look): Omit<ViewInput, 'title' | 'type'> => ({
  filter: { ...filter },
  sorts: [...sorts],
  visible_attributes: columns.map(({ api_slug }) => api_slug),
})
