import type { ApiError } from '#base/errors/api-error'
import type { Row } from '#engine/storage/layout'

/** What several entities written together became: the id of one, with its row if it was asked for, or the reason to refuse it. */
export type Outcome = { readonly id: string; readonly row: Row | undefined } | { readonly refusal: ApiError }

/** What the writer of several entities needs of each: its row for its renderer, or only its id. */
export type Answer = 'rows' | 'nothing'

export interface WrittenTogether<C> {
  /** One for each of the first inputs, which may be none: then the first input is to be written alone. */
  readonly outcomes: readonly Outcome[]
  /** The context with the data model that the rows have. */
  readonly context: C
}
