/** The conditions of a filter while they are edited. A change applies after a pause, so that not every letter sends a query. */

import type { Attribute } from '../../../api/data-model/attributes'
import { location } from '../../../router/location.svelte'
import type { OperandKind } from '../../../values/define'
import { valueTypeOf } from '../../../values/registry'
import { isNamed, type ViewState } from '../table/view-state.svelte'
import {
  type Condition,
  type Conditions,
  isSameComparison,
  NO_CONDITIONS,
  readConditions,
  writeFilter,
} from './conditions'

const PAUSE_MS = 250

const TYPED: ReadonlySet<OperandKind> = new Set(['text', 'number', 'date', 'instant'])

export class FilterDraft {
  readonly #viewState: ViewState
  readonly #attributes: () => readonly Attribute[]
  readonly #path = location.path
  /** The conditions of the filter that applies; undefined for a filter that is too complex. */
  readonly #applied = $derived.by(() => readConditions(this.#viewState.filter))
  /** The edited conditions. Unlike a filter, they include conditions without an operand. */
  #edited = $state.raw<Conditions | undefined>()
  #sent: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Applies the last change; undefined after that. */
  #apply: (() => void) | undefined

  readonly conditions: Conditions | undefined = $derived(this.#edited ?? this.#applied)

  /** `attributes` returns those that a condition can name. */
  constructor(viewState: ViewState, attributes: () => readonly Attribute[]) {
    this.#viewState = viewState
    this.#attributes = attributes
  }

  /** For use in an effect. The URL has another filter than the last change after Back, or after another view was opened. */
  follow(): void {
    if (filterText(this.#applied) === this.#sent) return
    this.#edited = undefined
    this.cancel()
  }

  change(next: Conditions, continues?: string): void {
    this.#edited = next
    this.#sent = filterText(next)
    this.cancel()
    this.#apply = () => {
      this.cancel()
      this.#viewState.setFilter(writeFilter(next), continues)
    }
    this.#timer = setTimeout(this.#apply, PAUSE_MS)
  }

  /** Replaces a condition, or removes it. */
  put(at: number, condition: Condition | undefined): void {
    const before = this.conditions ?? NO_CONDITIONS
    const list = [...before.list]
    list.splice(at, 1, ...(condition ? [condition] : []))
    const isTyped = condition !== undefined && this.#isTyped(before.list[at], condition)
    this.change({ ...before, list }, isTyped ? `condition ${at}` : undefined)
  }

  /** Whether the change is one letter of several; a selection from a list is a change of its own. */
  #isTyped(before: Condition | undefined, after: Condition): boolean {
    const attribute = this.#attributes().find((one) => isNamed(one, after.attribute))
    const kind = attribute && valueTypeOf(attribute).fields.find(({ name }) => name === after.field)?.operand
    return kind !== undefined && TYPED.has(kind) && before !== undefined && isSameComparison(before, after)
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

const filterText = (conditions: Conditions | undefined): string | undefined =>
  JSON.stringify(conditions && writeFilter(conditions))
