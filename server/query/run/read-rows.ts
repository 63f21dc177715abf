/** Reads the rows of a page with the statement that is fastest for it. Decision 0032. */

import type { RequestContext } from '../../context'
import type { EntityType } from '../../data-model/model'
import type { Row } from '../../storage/layout'
import { isLookup, isSmallLookup } from '../planning/lookup'
import { startsFromSortTarget } from '../planning/order-index'
import { readStatement, runLookup } from './run-statement'
import { compilePage, type PageQuery, type PageStatement } from '../compile/page-statement'

/** How to read rows: the columns to select and the conversion of each row. */
export interface PageReader<T> {
  /** The select list. */
  readonly select: string
  /** Whether the statement is expected to take long. */
  readonly isLong: boolean
  readonly read: (row: Row, keysOf: PageStatement['keysOf']) => T
}

export async function readRows<T>(
  context: RequestContext,
  entityType: EntityType,
  page: PageQuery,
  reader: PageReader<T>,
): Promise<T[]> {
  if (startsFromSortTarget(context.model, page.sorts, reader.isLong)) {
    // Entities without a value come last. If those with a value fill the page, it has no others.
    const present = await readWithStatement(context, entityType, { ...page, isPresentOnly: true }, reader)
    if (present.length === page.limit) return present
  }
  return readWithStatement(context, entityType, page, reader)
}

function readWithStatement<T>(
  context: RequestContext,
  entityType: EntityType,
  page: PageQuery,
  { select, isLong, read }: PageReader<T>,
): Promise<T[]> {
  const statement = compilePage(context.model, entityType, page, select)
  const readRow = (row: Row) => read(row, statement.keysOf)
  return isLookup(page)
    ? runLookup(context, statement, readRow, isSmallLookup(page))
    : readStatement(context, statement, readRow, isLong)
}
