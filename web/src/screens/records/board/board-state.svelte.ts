/**
 * The attribute, the cards and the sum of a board. They come from the URL, else from the saved view; the attributes of cards come
 * last from what this browser stores.
 */

import type { Attribute } from '../../../api/data-model/attributes'
import type { ViewInput } from '../../../api/data-model/views'
import { sortAlongPath, viewColumn } from '../../../api/records/referenced-values'
import { location, ScreenSearch } from '../../../router/location.svelte'
import { session } from '../../../state/session.svelte'
import { labelAttribute } from '../columns/defaults'
import { isNamed, type ViewState } from '../table/view-state.svelte'
import { boardAttributes, type BoardQuery, hasSum } from './board-query'

/** The number of attributes on a card by default, without its owner. */
const DEFAULT_CARD = 3

export class BoardState {
  readonly view: ViewState
  readonly #search = new ScreenSearch()
  readonly #attributes: () => readonly Attribute[]
  #storedCards = $state.raw<readonly string[] | undefined>()
  /** The attribute that was added up last, which this browser stores. */
  #storedSum = $state('')

  constructor(view: ViewState, attributes: () => readonly Attribute[]) {
    this.view = view
    this.#attributes = attributes
    const stored = localStorage.getItem(this.#storageKey)
    this.#storedCards = stored === null ? undefined : slugsOf(stored)
    this.#storedSum = localStorage.getItem(`sum of ${this.#storageKey}`) ?? ''
  }

  /** The attribute that the URL names, else the first one. */
  readonly attribute: Attribute | undefined = $derived.by(() => {
    const all = boardAttributes(this.#attributes())
    const named = this.#search.params.get('board')
    return all.find((one) => named !== null && isNamed(one, named)) ?? all[0]
  })

  readonly sum: Attribute | undefined = $derived.by(() => {
    const kept = this.view.viewId === null ? this.#storedSum : ''
    const named = this.#search.params.get('sum') ?? this.#savedBoard?.sum_attribute ?? kept
    return this.#attributes().find((one) => hasSum(one) && isNamed(one, named))
  })

  /** The attributes on cards, without archived ones and those that every card shows. */
  readonly columns: readonly Attribute[] = $derived.by(() => {
    const present = this.choices
    const params = this.#search.params.get('cards')
    const saved = this.#savedBoard === undefined ? undefined : this.view.view?.visible_attributes
    const named = (params === null ? undefined : slugsOf(params)) ?? saved ?? this.#storedCards
    if (!named) return defaultCard(present)
    return [...new Set(named.flatMap((name) => present.find((one) => isNamed(one, name)) ?? []))]
  })

  /** The attributes that cards can show. */
  get choices(): readonly Attribute[] {
    const all = this.#attributes().filter(({ is_archived }) => !is_archived)
    const label = labelAttribute(this.view.entityType, all)
    return all.filter((one) => one !== label && one !== this.attribute)
  }

  /** The board of the saved view that the address names. */
  get #savedBoard() {
    return this.view.view?.board ?? undefined
  }

  get query(): BoardQuery | undefined {
    const { attribute, sum, columns, view } = this
    if (!attribute) return undefined
    const label = labelAttribute(view.entityType, this.#attributes())
    const read = [attribute, ...columns, ...(sum ? [sum] : []), ...(label ? [label] : [])]
    const fields = [...new Set(read.map(({ api_slug }) => api_slug))].filter((slug) => slug !== 'parent_record')
    return { entityType: view.entityType, attribute, filter: view.filter, sorts: view.sorts, fields, sum }
  }

  /** The board as a view stores it. */
  get contents(): Omit<ViewInput, 'title'> {
    const { view, attribute, sum, columns } = this
    return {
      type: 'board',
      filter: { ...view.filter },
      sorts: view.sorts.map((sort) => sortAlongPath(view.entityType, sort)),
      visible_attributes: columns.map(viewColumn),
      board: attribute ? { attribute: attribute.api_slug, sum_attribute: sum?.api_slug ?? null } : null,
    }
  }

  setAttribute = (slug: string): void => location.setSearch({ board: slug }, { replace: false })

  /** An empty text replaces the sum of a view. The sum of a board without a view is kept in this browser. */
  setSum = (slug: string): void => {
    if (this.view.viewId === null) {
      this.#storedSum = slug
      localStorage.setItem(`sum of ${this.#storageKey}`, slug)
    }
    location.setSearch({ sum: slug === '' && !this.#savedBoard?.sum_attribute ? null : slug })
  }

  setColumns(slugs: readonly string[]): void {
    this.#storedCards = slugs
    localStorage.setItem(this.#storageKey, slugs.join(','))
    location.setSearch({ cards: slugs.join(',') })
  }

  moveColumn(from: number, to: number): void {
    const slugs = this.columns.map(({ api_slug }) => api_slug)
    const slug = slugs[from]
    if (slug === undefined || to < 0 || to >= slugs.length) return
    this.setColumns(slugs.toSpliced(from, 1).toSpliced(to, 0, slug))
  }

  get #storageKey(): string {
    const { kind, slug } = this.view.entityType
    return `cards ${session.workspace?.id} ${kind} ${slug}`
  }
}

/** The first editable attributes, and the first one that refers to a member: the owner. */
function defaultCard(choices: readonly Attribute[]): readonly Attribute[] {
  const editable = choices.filter(({ is_writable }) => is_writable)
  const owner = editable.find(({ type }) => type === 'actor-reference')
  const others = editable.filter((one) => one !== owner).slice(0, DEFAULT_CARD)
  return owner ? [...others, owner] : others
}

const slugsOf = (text: string): readonly string[] => text.split(',').filter((slug) => slug !== '')
