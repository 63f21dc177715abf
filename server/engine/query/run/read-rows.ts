/** Reads the rows of a page with the statement that is fastest for it. See docs/decisions/queries.md. */

import type { RequestContext } from '#context'
import type { EntityType } from '#engine/data-model/model'
import { type FormedQuery, pageStatement } from '#engine/query/forms/compiled-forms'
import { isSmallLookup } from '#engine/query/planning/score'
import { startsFromSortTarget } from '#engine/query/planning/order-index'
import { collectStatement, runSmallLookup } from './run-statement'
import type { RowCollector } from './page-body'
import type { PageQuery, PageStatement } from '#engine/query/compile/page-statement'

/** How to read rows: the columns to select and what collects them. */
export interface PageReader<R> {
  /** The select list. */
  readonly select: string
  /** Whether the statement is expected to take long. */
  readonly isLong: boolean
  /** Returns a collector for one run of the statement. */
  readonly open: (keysOf: PageStatement['keysOf']) => RowCollector<R>
}

/** A page of a query whose form is known. */
type FormedPage = PageQuery & FormedQuery

/** Returns the rows of the page in its order, as the reader collects them. */
export async function readRows<R extends { readonly length: number; readonly isCut?: boolean }>(
  context: RequestContext,
  entityType: EntityType,
  page: FormedPage,
  reader: PageReader<R>,
): Promise<R> {
  if (startsFromSortTarget(context.model, page.sorts, reader.isLong)) {
    // Entities without a value come last. If those with a value fill the page, it has no others.
    const present = await readWithStatement(context, entityType, { ...page, isPresentOnly: true }, reader)
    if (present.length === page.limit || present.isCut === true) return present
  }
  return readWithStatement(context, entityType, page, reader)
}

function readWithStatement<R>(
  context: RequestContext,
  entityType: EntityType,
  page: FormedPage,
  { select, isLong, open }: PageReader<R>,
): Promise<R> {
  const statement = pageStatement(context.model, entityType, page, select)
  const openCollector = () => open(statement.keysOf)
  // The rest of a lookup begins with a large row.
  return page.cost.isLookup && isSmallLookup(page) && !page.after
    ? runSmallLookup(context, statement, openCollector)
    : collectStatement(context, statement, openCollector, isLong)
}
