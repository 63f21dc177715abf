/** Saved views and SQL queries for the palette. They are read when a person first types into it. */

import Database from '@lucide/svelte/icons/database'
import Rows3 from '@lucide/svelte/icons/rows-3'
import type { EntityTypePath } from '../../api/data-model/attributes'
import { listViews } from '../../api/data-model/views'
import { listSavedQueries } from '../../api/sql/sql-queries'
import { goTo } from '../../router/location.svelte'
import type { PaletteItem } from './items'

export interface NamedEntityType extends EntityTypePath {
  readonly name: string
}

export class SavedItems {
  views = $state.raw<readonly PaletteItem[]>([])
  queries = $state.raw<readonly PaletteItem[]>([])
  #isRequested = false

  /** What cannot be read, such as the views of an object without access, is left out. */
  load(entityTypes: readonly NamedEntityType[], signal: AbortSignal): void {
    if (this.#isRequested || entityTypes.length === 0) return
    this.#isRequested = true
    void this.#loadQueries(signal)
    for (const entityType of entityTypes) void this.#loadViews(entityType, signal)
  }

  async #loadQueries(signal: AbortSignal): Promise<void> {
    const saved = await listSavedQueries(signal).catch(() => [])
    this.queries = saved.map(({ id, name }) => ({
      id: `query-${id}`,
      label: name,
      detail: 'Run SQL query',
      icon: Database,
      isSearchedOnly: true,
      act: () => goTo(`/sql?query=${id}&run=1`),
    }))
  }

  async #loadViews(entityType: NamedEntityType, signal: AbortSignal): Promise<void> {
    const { kind, slug, name } = entityType
    const views = await listViews(entityType, signal).catch(() => [])
    const items = views.map(({ id, title }) => ({
      id: `view-${id.view_id}`,
      label: title,
      detail: `View of ${name}`,
      icon: Rows3,
      isSearchedOnly: true as const,
      act: () => goTo(`/${kind}/${slug}?view=${id.view_id}`),
    }))
    this.views = [...this.views, ...items]
  }
}
