/**
 * Reads all rows of a paged resource of the source. A page with fewer rows than the limit is not taken for the last one:
 * the rows end with an empty page, or with a page that has no new row.
 */

import { sha256 } from '#base/text/sha256'
import type { Check } from '#run/cli/copy/shapes'
import { CommandError } from '#run/cli/command'
import type { Problems } from '#run/cli/copy/copy-context'
import { isJsonObject, TooLargeError, type ApiClient } from './api-client'

export interface RowSource<Row> {
  /** Names the rows in problems, for example `record`. */
  readonly kind: string
  readonly limit: number
  readonly isRow: Check<Row>
  idOf(row: Row): string
  /** Returns the answer with this page. */
  readPage(limit: number, offset: number): Promise<unknown>
}

const MAX_PAGES = 1_000_000
/** How much of a row of another shape the report shows. */
const LONGEST_EXCERPT = 100

export async function* readRowsOfApi<Row>(source: RowSource<Row>, problems: Problems): AsyncGenerator<Row, void, void> {
  const seen = new Set<string>()
  let limit = source.limit
  let offset = 0
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await readPage(source, limit, offset)
    if (page === undefined) {
      limit = Math.max(Math.floor(limit / 2), 1)
      continue
    }
    const count = seen.size
    for (const row of page) if (isNew(source, seen, row)) yield* validRow(source, problems, row)
    if (seen.size === count) {
      if (page.length >= limit)
        problems.add(source.kind, '', `The source repeats a page at offset ${offset}; rows after it are not read.`)
      return
    }
    offset += page.length
  }
  throw new CommandError(`The source has more than ${MAX_PAGES} pages of ${source.kind}.`)
}

/** A row of another shape is compared as a whole. */
function isNew<Row>({ isRow, idOf }: RowSource<Row>, seen: Set<string>, row: unknown): boolean {
  const key = isRow(row) ? idOf(row) : sha256(JSON.stringify(row))
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

function* validRow<Row>({ kind, isRow }: RowSource<Row>, problems: Problems, row: unknown): Generator<Row, void, void> {
  if (isRow(row)) yield row
  else problems.add(kind, JSON.stringify(row).slice(0, LONGEST_EXCERPT), 'The source answers a row of another shape.')
}

/** Undefined when the page is too large and can be smaller. */
async function readPage<Row>(source: RowSource<Row>, limit: number, offset: number): Promise<unknown[] | undefined> {
  try {
    const answer = await source.readPage(limit, offset)
    if (isJsonObject(answer) && Array.isArray(answer.data)) return answer.data
  } catch (error) {
    if (error instanceof TooLargeError && limit > 1) return undefined
    throw error
  }
  throw new CommandError(`The source answers a page of kind "${source.kind}" without the array "data".`)
}

/** All rows of a resource that answers without pages. Rows of another shape become problems. */
export async function listRows<Row>(
  client: ApiClient,
  path: string,
  isRow: Check<Row>,
  problems: Problems,
): Promise<Row[]> {
  const answer = await client.request('GET', path)
  if (!isJsonObject(answer) || !Array.isArray(answer.data))
    throw new CommandError(`${client.url}${path} answers without the array "data".`)
  const rows: unknown[] = answer.data
  return rows.filter((row, at) => {
    const isValid = isRow(row)
    if (!isValid) problems.add(path, `row ${at}`, 'The answer has a row of another shape.')
    return isValid
  })
}
