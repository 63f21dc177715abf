import type { EntityTypePath } from '../../api/data-model/attributes'
import type { Filter } from '../../api/records/entities'
import type { FilterState } from '../records/filter/filter-draft.svelte'

/** The filter of a form, which the filter builder edits. */
export class FormFilter implements FilterState {
  readonly entityType: EntityTypePath
  readonly columns = []
  filter = $state.raw<Filter>({})

  constructor(entityType: EntityTypePath, filter: Filter) {
    this.entityType = entityType
    this.filter = filter
  }

  get isFiltered(): boolean {
    return Object.keys(this.filter).length > 0
  }

  setFilter(filter: Filter): void {
    this.filter = filter
  }
}
