/** The rows of a page, by the statement that is quickest for them. Decision 0032. */

import type { Call } from '../call'
import type { Owner } from '../data-model/model'
import type { Row } from '../values/layout'
import { isLookup } from './lookup'
import { isReadByTarget } from './order-index'
import { runLookup, runStatement } from './run'
import { compilePage, type PageOf } from './statement'

/** How rows are read. */
export interface Reading {
  /** The select list. */
  readonly select: string
  /** Whether it is expected to take long. */
  readonly isLong: boolean
}

export interface ReadRows {
  readonly rows: readonly Row[]
  /** How many order keys follow the select list in each row of a walk. */
  readonly keyCount: number
}

export async function readRows(call: Call, owner: Owner, page: PageOf, reading: Reading): Promise<ReadRows> {
  if (isReadByTarget(call.model, page.sorts)) {
    // Those without what is sorted by come last, so a page that the others fill has none of them.
    const present = await readAs(call, owner, { ...page, isOfPresent: true }, reading)
    if (present.rows.length === page.limit) return present
  }
  return readAs(call, owner, page, reading)
}

async function readAs(call: Call, owner: Owner, page: PageOf, { select, isLong }: Reading): Promise<ReadRows> {
  const statement = compilePage(call.model, owner, page, select)
  const rows = isLookup(page) ? runLookup(call, statement) : runStatement(call, statement, isLong)
  return { rows: await rows, keyCount: statement.keyCount }
}
