/** The entries of the palette: records that match the query, pages, saved views, saved SQL queries and actions. */

import { type FoundRecord, searchRecords } from '../../api/records/search'
import { type FoundTexts, searchTexts } from '../../api/records/text-search'
import { goTo, location } from '../../router/location.svelte'
import { allRecordTypes, getDataModel, isActivity, recordTypeId, recordTypePath } from '../../state/data-model.svelte'
import { displayName } from '../../state/record-label'
import { recordName } from '../../state/record-names.svelte'
import { type RecentRecord, recentRecords } from '../../state/recent-records'
import { objectIcon, recordTypeIcon } from '../object-icons'
import { actionsOf } from './actions'
import { textGroups } from './found-texts'
import type { PaletteGroup, PaletteItem } from './items'
import { pagesOf } from './pages'
import { addRecords, rankGroups } from './rank'
import { type NamedEntityType, SavedItems } from './saved-items.svelte'

/** The delay before a search, so that not every letter sends a request. */
const PAUSE_MS = 120

export class PaletteSearch {
  query = $state('')
  #records = $state.raw<readonly FoundRecord[]>([])
  #texts = $state.raw<FoundTexts | undefined>()
  isSearching = $state(false)
  /** Why the search of the service failed. Pages and actions are still found. */
  failure = $state<string | undefined>()

  readonly #model = getDataModel()
  readonly #saved = new SavedItems()
  readonly #closed = new AbortController()
  readonly #recent = recentRecords()

  readonly groups: readonly PaletteGroup[] = $derived.by(() => {
    const { lists = [], readOnlyIds } = this.#model.data ?? {}
    const types = allRecordTypes(this.#model.data)
    const writable = types.filter((type) => !readOnlyIds?.has(recordTypeId(type)))
    const groups = [
      { label: 'Go to', items: pagesOf(types, lists) },
      { label: 'Actions', items: actionsOf(writable) },
      { label: 'Views', items: this.#saved.views },
      { label: 'SQL queries', items: this.#saved.queries },
    ]
    if (this.query.trim() === '') return [...this.#recentGroup(), ...rankGroups(groups, '')]
    const records = this.#records.map((record) => this.#recordItem(record))
    const found = addRecords(rankGroups(groups, this.query), records, this.query)
    return [...found, ...(this.#texts ? textGroups(this.#texts, this.#model.data ?? {}) : [])]
  })

  /** Searches for the query; for use in an effect. */
  follow(): (() => void) | undefined {
    const query = this.query.trim()
    const slugs = allRecordTypes(this.#model.data).flatMap(({ api_slug }) => (api_slug === null ? [] : [api_slug]))
    if (query === '' || slugs.length === 0) {
      this.#records = []
      this.#texts = undefined
      return undefined
    }
    this.#saved.load(this.#entityTypes(), this.#closed.signal)
    const running = new AbortController()
    this.isSearching = true
    const timer = setTimeout(() => void this.#search(query, slugs, running.signal), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      running.abort()
    }
  }

  /** Ends the reads of saved views and queries. */
  close(): void {
    this.#closed.abort()
  }

  #entityTypes(): NamedEntityType[] {
    const { objects = [], lists = [], activities = [] } = this.#model.data ?? {}
    return [
      ...objects.flatMap(({ api_slug, plural_noun }) =>
        api_slug === null ? [] : [{ kind: 'objects' as const, slug: api_slug, name: plural_noun ?? api_slug }],
      ),
      ...activities.map(({ api_slug: slug, plural_noun: name }) => ({ kind: 'activities' as const, slug, name })),
      ...lists.map(({ api_slug, name }) => ({ kind: 'lists' as const, slug: api_slug, name })),
    ]
  }

  async #search(query: string, slugs: readonly string[], signal: AbortSignal): Promise<void> {
    try {
      const [records, texts] = await Promise.all([searchRecords(query, slugs, signal), searchTexts(query, signal)])
      if (signal.aborted) return
      this.#records = records
      this.#texts = texts
      this.failure = undefined
    } catch (error) {
      if (signal.aborted) return
      this.#records = []
      this.#texts = undefined
      this.failure = error instanceof Error ? error.message : String(error)
    }
    this.isSearching = false
  }

  /** The records that were opened last and that the member may see. The shown one is not among them. */
  #recentGroup(): PaletteGroup[] {
    const items = this.#recent.flatMap((recent) => this.#recentItem(recent) ?? [])
    return items.length === 0 ? [] : [{ label: 'Recent', items }]
  }

  #recentItem({ kind, slug, id }: RecentRecord): PaletteItem | undefined {
    const type = allRecordTypes(this.#model.data).find(({ api_slug }) => api_slug === slug)
    const path = `/${kind}/${slug}/${id}`
    if (type === undefined || location.path === path) return undefined
    const label = recordName(slug, id)
    if (label == null) return undefined
    return {
      id,
      label,
      detail: type.singular_noun ?? slug,
      icon: recordTypeIcon(type),
      ...(kind === 'objects' && { object: slug }),
      act: () => goTo(path),
    }
  }

  #recordItem(record: FoundRecord): PaletteItem {
    const { id, object_slug, email_addresses, domains } = record
    const type = allRecordTypes(this.#model.data).find(({ api_slug }) => api_slug === object_slug)
    return {
      id: id.record_id,
      label: displayName(record),
      detail: email_addresses?.[0] ?? domains?.[0] ?? type?.singular_noun ?? object_slug,
      icon: type === undefined ? objectIcon(object_slug) : recordTypeIcon(type),
      ...(!isActivity(object_slug) && { object: object_slug }),
      act: () => goTo(`${type === undefined ? `/objects/${object_slug}` : recordTypePath(type)}/${id.record_id}`),
    }
  }
}
