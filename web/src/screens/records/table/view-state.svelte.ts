/**
 * The filter, sorts and columns of a table. They come from the URL, else from the saved view that the URL names; columns come
 * last from what this browser stores.
 */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import type { Filter, SortInput } from '../../../api/records/entities'
import { isReferencedSlug, sortByColumn } from '../../../api/records/referenced-values'
import { getView, type View, type ViewItem } from '../../../api/data-model/views'
import { location, ScreenSearch } from '../../../router/location.svelte'
import { toasts } from '../../../state/toasts.svelte'
import type { RemoteData } from '../../../state/reads/remote-data.svelte'
import { session } from '../../../state/session.svelte'
import { findDefaultView, openViews } from '../../../state/views'
import { defaultColumns, defaultSorts } from '../columns/defaults'
import { usableFilter, usableSorts } from '../filter/archived-attributes'
import { TotalChoices } from './footer/total-choices.svelte'
import { ColumnWidths } from './header/column-widths.svelte'
import { readSorts, sortsText } from './sorts'

/** The parameters of the URL that change a saved view, except that of the columns of a board. */
const CHANGES = ['filter', 'sort', 'columns', 'group', 'cards', 'sum'] as const
/** The parameters of the URL that say what is shown. */
const SHOWN = ['view', 'board', ...CHANGES] as const
/** Names the table without a saved view where another view opens for everyone. */
const ALL = 'all'
const UNCHANGED = Object.fromEntries(CHANGES.map((name) => [name, null]))

const isFilter = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export class ViewState {
  /** The saved view that the address names, once it is loaded. */
  view = $state.raw<View | undefined>()
  /** Whether the view that the address names could not be loaded. */
  #hasFailed = $state(false)
  readonly entityType: EntityTypePath
  /** The saved views, of which the menu has a list. */
  readonly views: RemoteData<ViewItem[]>
  readonly #search = new ScreenSearch()
  readonly #attributes: () => readonly Attribute[]
  readonly widths: ColumnWidths
  readonly totals: TotalChoices
  /** The columns that this browser stores. */
  #storedColumns = $state.raw<readonly string[] | undefined>()

  constructor(entityType: EntityTypePath, attributes: () => readonly Attribute[]) {
    this.entityType = entityType
    this.views = openViews(entityType)
    this.#attributes = attributes
    this.widths = new ColumnWidths(`widths of ${this.storageKey}`)
    this.totals = new TotalChoices(`totals of ${this.storageKey}`)
    this.#storedColumns = readList(localStorage.getItem(this.storageKey))
  }

  /** Null for the table or board without a saved view. */
  get viewId(): string | null {
    const named = this.#search.params.get('view')
    return named === ALL ? null : named
  }

  /** The view that opens for everyone; null without one, undefined while it is read. */
  #defaultId = $state<string | null | undefined>()
  /** Whether the address names nothing that is shown, so that the default view opens. */
  readonly #opensDefault = $derived(SHOWN.every((name) => !this.#search.params.has(name)) && this.#defaultId !== null)
  readonly isLoading = $derived(
    this.#opensDefault || (this.viewId !== null && this.view === undefined && !this.#hasFailed),
  )
  readonly #filter = $derived.by(() =>
    usableFilter(readFilter(this.#search.params.get('filter')) ?? this.view?.filter ?? {}, this.#attributes()),
  )
  /** The filter without conditions of archived attributes. */
  readonly filter: Filter = $derived(this.#filter.present)
  readonly #groupName: string | null = $derived(this.#search.params.get('group') ?? this.view?.group_by ?? null)
  /** The attribute by which rows are grouped. */
  readonly groupBy: Attribute | undefined = $derived.by(() => {
    const name = this.#groupName
    return name === null ? undefined : this.#attributes().find((one) => !one.is_archived && isNamed(one, name))
  })
  readonly isFiltered = $derived(Object.keys(this.filter).length > 0)
  readonly #sorts = $derived.by(() =>
    usableSorts(
      readSorts(this.#search.params.get('sort')) ??
        this.view?.sorts.map((sort) => sortByColumn(sort, this.#attributes())) ??
        defaultSorts(this.entityType),
      this.#attributes(),
    ),
  )
  readonly sorts: readonly SortInput[] = $derived(this.#sorts.present)
  /** The archived attributes that the filter and the sorts name. */
  readonly archived: readonly Attribute[] = $derived([...new Set([...this.#filter.archived, ...this.#sorts.archived])])

  /** The slugs or ids of the columns. */
  readonly #named: readonly string[] | undefined = $derived.by(() => {
    const saved = this.view?.type === 'board' ? undefined : this.view?.visible_attributes
    return readList(this.#search.params.get('columns')) ?? saved ?? this.#storedColumns
  })

  /** Whether columns, sorts or groups name attributes of referenced records, without which the query is not complete. */
  readonly namesReferenced: boolean = $derived(
    (this.#named?.some(isReferencedSlug) ?? false) ||
      isReferencedSlug(this.#groupName ?? '') ||
      this.sorts.some(({ attribute, path }) => path !== undefined || isReferencedSlug(attribute ?? '')),
  )

  /** The columns, without attributes that were archived or deleted. */
  readonly columns: readonly Attribute[] = $derived.by(() => {
    const present = this.#attributes().filter(({ is_archived }) => !is_archived)
    const found = this.#named?.flatMap((slugOrId) => present.find((one) => isNamed(one, slugOrId)) ?? []) ?? []
    const columns = [...new Set(found)]
    return columns.length > 0 ? columns : defaultColumns(this.entityType, present)
  })

  /** Loads the saved view that the address names. For use in an effect. */
  async loadView(): Promise<{ readonly hasFilter: boolean }> {
    if (this.#opensDefault) return this.#openDefault()
    const { viewId } = this
    if (viewId === null) this.view = undefined
    if (viewId === null || this.view?.id.view_id === viewId) return { hasFilter: false }
    try {
      const view = await getView(this.entityType, viewId)
      if (this.viewId === viewId) this.#show(view)
      this.#hasFailed = false
      return { hasFilter: Object.keys(view.filter).length > 0 }
    } catch (error) {
      this.#hasFailed = true
      toasts.fail(error)
      return { hasFilter: false }
    }
  }

  async #openDefault(): Promise<{ readonly hasFilter: boolean }> {
    const id = await findDefaultView(this.views)
    if (id !== null && this.#opensDefault) location.setSearch({ view: id })
    this.#defaultId = id
    return { hasFilter: false }
  }

  /** The URL of a saved board names the attribute of its columns, so that it tells the layout. */
  #show(view: View): void {
    this.view = view
    if (view.type !== 'board' || view.board === null || this.#search.params.has('board')) return
    location.setSearch({ board: this.#boardOf(view) ?? null })
  }

  /** The slug of the attribute of a saved board. */
  #boardOf({ board }: View): string | undefined {
    return this.#attributes().find(({ id }) => id.attribute_id === board?.attribute)?.api_slug
  }

  /** Whether the URL changes the saved view. */
  get isChanged(): boolean {
    const { params } = this.#search
    if (CHANGES.some((name) => params.has(name))) return true
    return this.view !== undefined && params.get('board') !== (this.#boardOf(this.view) ?? null)
  }

  /** `continues` names the condition that is being typed, whose letters share one history entry. */
  setFilter(filter: Filter, continues?: string): void {
    const isEmpty = Object.keys(filter).length === 0
    // An empty filter replaces the filter of a view.
    const isNeeded = !isEmpty || Object.keys(this.view?.filter ?? {}).length > 0
    const change = continues === undefined ? { replace: false } : { continues }
    location.setSearch({ filter: isNeeded ? JSON.stringify(filter) : null }, change)
  }

  setSorts(sorts: readonly SortInput[]): void {
    const isNeeded = sorts.length > 0 || (this.view?.sorts.length ?? 0) > 0
    location.setSearch({ sort: isNeeded ? sortsText(sorts) : null }, { replace: false })
  }

  /** An empty text replaces the groups of a view. */
  setGroupBy(attribute: Attribute | undefined): void {
    const none = this.view?.group_by == null ? null : ''
    location.setSearch({ group: attribute?.api_slug ?? none }, { replace: false })
  }

  /** The columns of a saved view belong to the view, and others to this browser. */
  setColumns(slugs: readonly string[]): void {
    if (this.viewId === null) {
      this.#storedColumns = slugs
      localStorage.setItem(this.storageKey, slugs.join(','))
    }
    location.setSearch({ columns: slugs.join(',') })
  }

  /** The attributes without a column, archived ones excluded. */
  get hiddenAttributes(): readonly Attribute[] {
    return this.#attributes().filter((one) => !one.is_archived && !this.columns.includes(one))
  }

  hideColumn(attribute: Attribute): void {
    this.setColumns(this.columns.filter((one) => one !== attribute).map(({ api_slug }) => api_slug))
  }

  insertColumn({ api_slug }: Attribute, index: number): void {
    this.setColumns(this.columns.map((one) => one.api_slug).toSpliced(index, 0, api_slug))
  }

  /** Moves a column to another index. */
  moveColumn(from: number, to: number): void {
    const slugs = this.columns.map(({ api_slug }) => api_slug)
    const column = slugs[from]
    if (column === undefined || to < 0 || to >= slugs.length || to === from) return
    this.setColumns(slugs.toSpliced(from, 1).toSpliced(to, 0, column))
  }

  /** Opens a saved view, or with null the table or board without one. */
  open(viewId: string | null): void {
    const named = viewId ?? (this.#defaultId === null ? null : ALL)
    const isBoard = this.#search.params.has('board')
    // A saved board names its attribute again when it is loaded.
    const board = viewId === null && isBoard ? this.#search.params.get('board') : null
    location.setSearch({ view: named, board, ...UNCHANGED }, { replace: false })
  }

  /** Shows the saved view again as it is saved. */
  discardChanges(): void {
    const board = this.view === undefined ? null : (this.#boardOf(this.view) ?? null)
    location.setSearch({ board, ...UNCHANGED }, { replace: false })
  }

  /** Shows a view that was just saved. */
  openSaved(view: View): void {
    this.view = view
    location.setSearch({ view: view.id.view_id, board: this.#boardOf(view) ?? null, ...UNCHANGED }, { replace: false })
  }

  /** The name of what this browser stores for the table. */
  get storageKey(): string {
    return `columns ${session.workspace?.id} ${this.entityType.kind} ${this.entityType.slug}`
  }
}

export const isNamed = ({ api_slug, id }: Attribute, slugOrId: string): boolean =>
  api_slug === slugOrId || id.attribute_id === slugOrId

/** Undefined for no filter and for an invalid one. */
function readFilter(text: string | null): Filter | undefined {
  if (text === null) return undefined
  try {
    const filter: unknown = JSON.parse(text)
    return isFilter(filter) ? filter : undefined
  } catch {
    return undefined
  }
}

const readList = (text: string | null): readonly string[] | undefined =>
  text === null || text === '' ? undefined : text.split(',')
