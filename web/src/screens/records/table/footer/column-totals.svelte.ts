/** The totals of columns: which ones a person chose, which this browser stores, and their values over the whole filter. */

import { aggregateEntities, type AggregateFunction, type AggregateQuery } from '../../../../api/records/aggregate'
import type { Attribute } from '../../../../api/data-model/attributes'
import type { Filter } from '../../../../api/records/entities'
import { toApiError } from '../../../../api/errors'
import type { ChangesConsumer } from '../../../../state/events/follow-changes'
import type { ViewState } from '../view-state.svelte'

const FUNCTIONS: readonly AggregateFunction[] = ['count', 'filled', 'empty', 'sum', 'average', 'min', 'max']

/** Each aggregate names the attribute of its column. */
type TotalsQuery = Required<Pick<AggregateQuery, 'filter'>> & {
  readonly aggregates: readonly { readonly attribute: string; readonly function: AggregateFunction }[]
}

type Choices = Readonly<Record<string, AggregateFunction>>

export class ColumnTotals implements ChangesConsumer {
  /** The value of a column by the id of its attribute; null without values. */
  values = $state.raw<ReadonlyMap<string, number | null>>(new Map())
  problem = $state<string | undefined>()
  #choices = $state.raw<Choices>({})
  readonly #viewState: ViewState
  readonly #filter: () => Filter
  #running = new AbortController()

  constructor(viewState: ViewState, filter: () => Filter) {
    this.#viewState = viewState
    this.#filter = filter
    this.#choices = readChoices(localStorage.getItem(this.#storageKey))
  }

  choiceOf({ id }: Attribute): AggregateFunction | undefined {
    return this.#choices[id.attribute_id]
  }

  choose({ id }: Attribute, choice: AggregateFunction | undefined): void {
    const { [id.attribute_id]: _before, ...others } = this.#choices
    this.#choices = choice === undefined ? others : { ...others, [id.attribute_id]: choice }
    localStorage.setItem(this.#storageKey, JSON.stringify(this.#choices))
  }

  /** What is read, as text, so that an equal one causes no request. */
  readonly query: string = $derived.by(() => {
    const aggregates = this.#viewState.columns.flatMap((column) => {
      const choice = this.choiceOf(column)
      return choice ? [{ attribute: column.id.attribute_id, function: choice }] : []
    })
    return JSON.stringify({ filter: this.#filter(), aggregates })
  })

  async read(query = this.query): Promise<void> {
    this.#running.abort()
    const running = new AbortController()
    this.#running = running
    const body: TotalsQuery = JSON.parse(query) // written by `query`
    const { aggregates } = body
    if (aggregates.length === 0) return
    try {
      const found = await aggregateEntities(this.#viewState.entityType, body, running.signal)
      if (running.signal.aborted) return
      this.values = new Map(aggregates.map(({ attribute }, at) => [attribute, found.aggregates[at]?.value ?? null]))
      this.problem = undefined
    } catch (error) {
      if (!running.signal.aborted) this.problem = toApiError(error).message
    }
  }

  apply = (): Promise<void> => this.read()
  refresh = (): Promise<void> => this.read()

  get #storageKey(): string {
    return `totals of ${this.#viewState.storageKey}`
  }
}

/** Storage that another version wrote may have anything. */
function readChoices(text: string | null): Choices {
  try {
    const stored: unknown = JSON.parse(text ?? '{}')
    const entries = typeof stored === 'object' && stored !== null ? Object.entries(stored) : []
    return Object.fromEntries(entries.filter(([, choice]) => FUNCTIONS.includes(choice)))
  } catch {
    return {}
  }
}
