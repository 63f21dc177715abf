/** Keeps a table up to date with its view, its history entry and the changes of other people. */

import { untrack } from 'svelte'
import type { Attribute } from '../../../api/data-model/attributes'
import { location } from '../../../router/location.svelte'
import { remember } from '../../../router/screen-memory'
import { type ChangesConsumer, followAllChanges, followChanges } from '../../../state/events/follow-changes'
import { labelAttribute } from '../columns/defaults'
import { isReferencedSlug } from '../../../api/records/referenced-values'
import { rememberTable } from '../record/sequence/sequences'
import type { TableQuery } from './row-updates'
import type { Table } from './table.svelte'
import type { ViewState } from './view-state.svelte'

/** The attributes of a screen, which are read again whenever they are needed. */
interface ScreenAttributes {
  all(): readonly Attribute[]
  /** Whether those of referenced records are among them, or cannot be loaded. */
  isSettled(): boolean
}

/** Starts the effects of the screen of a table. Called while its component is created. */
export function followView(table: Table, viewState: ViewState, attributes: ScreenAttributes): void {
  // Text, so that an equal query causes no request.
  const queryText = $derived(
    JSON.stringify({ filter: viewState.filter, sorts: viewState.sorts, fields: fieldsOf(viewState, attributes.all()) }),
  )
  $effect(() => {
    if (viewState.isLoading || (viewState.namesReferenced && !attributes.isSettled())) return
    const query: TableQuery = JSON.parse(queryText)
    rememberTable(table, { filter: query.filter, sorts: query.sorts })
    return untrack(() => table.load(query))
  })

  // The screen is still shown while the code of the next one is loaded.
  const { path } = location
  $effect(() => {
    if (location.path === path) remember(table)
  })

  const entityTypeId = $derived(attributes.all()[0]?.id.object_id)
  $effect(() => (entityTypeId === undefined ? undefined : followChanges(entityTypeId, table)))

  // Text, so that an equal list continues with the changes that it has collected.
  const referencedIds = $derived(
    [...new Set(referencedColumns(viewState).map(({ id }) => id.object_id))].toSorted().join(),
  )
  $effect(() => {
    if (referencedIds === '') return undefined
    return followAllChanges(referencedIds.split(','), followReferenced(table, viewState))
  })
}

const referencedColumns = ({ columns }: ViewState): readonly Attribute[] =>
  columns.filter(({ api_slug }) => isReferencedSlug(api_slug))

/** Reads the rows again that show values of changed records. */
function followReferenced(table: Table, viewState: ViewState): ChangesConsumer {
  return {
    async apply({ created, updated, deleted }) {
      await table.loaded
      const columns = referencedColumns(viewState).map(({ api_slug }) => api_slug)
      const ids = table.rows.idsShowing(new Set([...created, ...updated.keys(), ...deleted]), columns)
      return table.apply({ created: NONE, updated: new Map(ids.map((id) => [id, NONE])), deleted: NONE })
    },
    refresh: table.refresh,
  }
}

const NONE: ReadonlySet<string> = new Set()

/** The slugs of the columns, and of the attribute with the name of a row. */
export function fieldsOf({ entityType, columns }: ViewState, attributes: readonly Attribute[]): readonly string[] {
  const label = labelAttribute(entityType, attributes)
  const all = label && !columns.includes(label) ? [label, ...columns] : columns
  // Entries have their record beside their values, not among them.
  return all.map(({ api_slug }) => api_slug).filter((slug) => slug !== 'parent_record')
}
