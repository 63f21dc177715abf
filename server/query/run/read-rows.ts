/** The rows of a page, by the statement that is quickest for them. Decision 0032. */

import type { RequestContext } from '../../call'
import type { EntityType } from '../../data-model/model'
import type { Row } from '../../storage/layout'
import { isLookup, isSmallLookup } from '../planning/lookup'
import { isReadFromTarget } from '../planning/order-index'
import { readStatement, runLookup } from './run-statement'
import { compilePage, type PageOf, type PageStatement } from '../compile/page-statement'

/** How rows are read, and what is made of each. */
export interface Reading<T> {
  /** The select list. */
  readonly select: string
  /** Whether it is expected to take long. */
  readonly isLong: boolean
  readonly read: (row: Row, keysOf: PageStatement['keysOf']) => T
}

export async function readRows<T>(
  context: RequestContext,
  entityType: EntityType,
  page: PageOf,
  reading: Reading<T>,
): Promise<T[]> {
  if (isReadFromTarget(context.model, page.sorts, reading.isLong)) {
    // Those without what is sorted by come last, so a page that the others fill has none of them.
    const present = await readAs(context, entityType, { ...page, isOfPresent: true }, reading)
    if (present.length === page.limit) return present
  }
  return readAs(context, entityType, page, reading)
}

function readAs<T>(
  context: RequestContext,
  entityType: EntityType,
  page: PageOf,
  { select, isLong, read }: Reading<T>,
): Promise<T[]> {
  const statement = compilePage(context.model, entityType, page, select)
  const readRow = (row: Row) => read(row, statement.keysOf)
  return isLookup(page)
    ? runLookup(context, statement, readRow, isSmallLookup(page))
    : readStatement(context, statement, readRow, isLong)
}
