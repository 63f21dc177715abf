/** The totals of the columns of a grid: their values over the whole filter. */

import {
  aggregatedAs,
  aggregateEntities,
  type AggregateFunction,
  type AggregateQuery,
} from '../../../../api/records/aggregate'
import type { Attribute } from '../../../../api/data-model/attributes'
import type { Filter } from '../../../../api/records/entities'
import { toApiError } from '../../../../api/errors'
import type { ChangesConsumer } from '../../../../state/events/follow-changes'
import type { ViewState } from '../view-state.svelte'

interface TotalsQuery {
  readonly body: Required<Pick<AggregateQuery, 'filter' | 'aggregates'>>
  /** The ids of the columns, in the order of the aggregates. */
  readonly columns: readonly string[]
}

export class ColumnTotals implements ChangesConsumer {
  /** The value of a column by the id of its attribute; null without values. */
  values = $state.raw<ReadonlyMap<string, number | null>>(new Map())
  problem = $state<string | undefined>()
  readonly #viewState: ViewState
  readonly #filter: () => Filter
  #running = new AbortController()

  constructor(viewState: ViewState, filter: () => Filter) {
    this.#viewState = viewState
    this.#filter = filter
  }

  choiceOf({ id }: Attribute): AggregateFunction | undefined {
    return this.#viewState.totals.choices[id.attribute_id]
  }

  choose(attribute: Attribute, choice: AggregateFunction | undefined): void {
    this.#viewState.totals.choose(attribute, choice)
  }

  /** What is read, as text, so that an equal one causes no request. */
  readonly query: string = $derived.by(() => {
    const { entityType } = this.#viewState
    const chosen = this.#viewState.totals.of(this.#viewState.columns)
    const aggregates = chosen.map(({ attribute, choice }) => ({
      ...aggregatedAs(entityType, attribute),
      function: choice,
    }))
    const columns = chosen.map(({ attribute }) => attribute.id.attribute_id)
    const query: TotalsQuery = { body: { filter: this.#filter(), aggregates }, columns }
    return JSON.stringify(query)
  })

  async read(query = this.query): Promise<void> {
    this.#running.abort()
    const running = new AbortController()
    this.#running = running
    const { body, columns }: TotalsQuery = JSON.parse(query) // written by `query`
    if (columns.length === 0) return
    try {
      const found = await aggregateEntities(this.#viewState.entityType, body, running.signal)
      if (running.signal.aborted) return
      this.values = new Map(columns.map((id, at) => [id, found.aggregates[at]?.value ?? null]))
      this.problem = undefined
    } catch (error) {
      if (!running.signal.aborted) this.problem = toApiError(error).message
    }
  }

  apply = (): Promise<void> => this.read()
  refresh = (): Promise<void> => this.read()
}
