/** The filter of a table while it is edited. A change applies after a pause, so that not every letter sends a query. */

import { location } from '../../../router/location.svelte'
import type { ViewState } from '../table/view-state.svelte'
import {
  type Condition,
  conditionsOf,
  type Group,
  isGroup,
  isSameComparison,
  NO_CONDITIONS,
  partAt,
  type Part,
  type Position,
  replacePart,
} from './filter-tree'
import { readFilter } from './read-filter'
import { writeFilter } from './write-filter'

const PAUSE_MS = 250

/** What has the filter that is edited, such as the state of a table or of a form. */
export type FilterState = Pick<ViewState, 'entityType' | 'columns' | 'filter' | 'isFiltered' | 'setFilter'>

export class FilterDraft {
  readonly #viewState: FilterState
  readonly #isShowable: (condition: Condition) => boolean
  readonly #path = location.path
  /** The tree of the filter that applies; undefined for a filter that the builder cannot show. */
  readonly #applied = $derived.by(() => {
    const tree = readFilter(this.#viewState.filter)
    return tree && conditionsOf(tree).every((one) => this.#isShowable(one)) ? tree : undefined
  })
  /** The edited tree. Unlike a filter, it includes conditions without an operand. */
  #edited = $state.raw<Group | undefined>()
  #sent: string | undefined
  #followed: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Applies the last change; undefined after that. */
  #apply: (() => void) | undefined

  readonly tree: Group | undefined = $derived(this.#edited ?? this.#applied)

  constructor(viewState: FilterState, isShowable: (condition: Condition) => boolean) {
    this.#viewState = viewState
    this.#isShowable = isShowable
  }

  /**
   * For use in an effect. The URL has another filter than the last change after Back, or after another view was opened. The effect also
   * runs when the data model was read again; a change that does not apply yet stays.
   */
  follow(): void {
    const applied = filterText(this.#applied)
    if (applied === this.#followed) return
    this.#followed = applied
    if (applied === this.#sent) return
    this.#edited = undefined
    this.cancel()
  }

  change(next: Group, continues?: string): void {
    this.#edited = next
    this.#sent = filterText(next)
    this.cancel()
    this.#apply = () => {
      this.cancel()
      this.#viewState.setFilter(writeFilter(next), continues)
    }
    this.#timer = setTimeout(this.#apply, PAUSE_MS)
  }

  /** Replaces a part, or removes it. `isTyped` says that the change is one letter of an operand. */
  put(at: Position, part: Part | undefined, isTyped = false): void {
    const tree = this.tree ?? NO_CONDITIONS
    const before = partAt(tree, at)
    const continues = isTyped && isSameCondition(before, part) ? `condition ${at.join('.')}` : undefined
    this.change(replacePart(tree, at, part), continues)
  }

  /** The change of a condition ends when the focus leaves its input: the next change adds a history entry. */
  finish(): void {
    if (location.path !== this.#path) return
    this.#apply?.()
    location.endChange()
  }

  /** Drops a change that does not apply yet. */
  cancel(): void {
    clearTimeout(this.#timer)
    this.#apply = undefined
  }
}

const isSameCondition = (before: Part | undefined, after: Part | undefined): boolean =>
  before !== undefined && after !== undefined && !isGroup(before) && !isGroup(after) && isSameComparison(before, after)

const filterText = (tree: Group | undefined): string | undefined => JSON.stringify(tree && writeFilter(tree))
