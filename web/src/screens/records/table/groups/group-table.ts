import { Selection } from '../selection/selection.svelte'
import { Table } from '../table.svelte'

/** The table of a group. Its selected rows belong to the selection of the whole table. */
export class GroupTable extends Table {
  constructor(whole: Table) {
    super(whole.entityType, (rows) => new Selection(rows, whole.selection))
  }
}
