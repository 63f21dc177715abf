/** The record that is open beside a table. The search of the URL has its id, or that of its entry. */

import { getContext, setContext } from 'svelte'
import { location } from '../../../../router/location.svelte'

const KEY = Symbol('record beside the table')

/** Parameters of the tabs of a record, which another record does not keep. */
const TAB_PARAMETERS = ['tab', 'new', 'log', 'kind', 'state', 'task', 'comment', 'folder', 'file']

export class RowPanel {
  /** `replace` is for moves from one open record to the next. */
  open(rowId: string, replace = false): void {
    this.#change(rowId, replace)
  }

  close(): void {
    this.#change(null, false)
  }

  #change(rowId: string | null, replace: boolean): void {
    const others = Object.fromEntries(TAB_PARAMETERS.map((name) => [name, null]))
    location.setSearch({ ...others, panel: rowId }, { replace })
  }
}

/** For the rows of a table whose records can be opened beside it. */
export const provideRowPanel = (panel: RowPanel): RowPanel => setContext(KEY, panel)

/** Undefined where nothing opens beside the rows. */
export const findRowPanel = (): RowPanel | undefined => getContext<RowPanel | undefined>(KEY)
