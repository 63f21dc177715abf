import { Table } from '../table.svelte'

/** The table of a group. Its rows are not selected: selections and their actions are those of the whole table. */
export class GroupTable extends Table {
  override get isReadOnly(): boolean {
    return true
  }
}
