/**
 * The tables that were shown last, by object, activity or list: previous and next on the page of a record move through the rows of its table. The
 * query survives a reload of the page; the loaded rows do not.
 */

import type { EntityTypePath } from '../../../../api/data-model/attributes'
import { type Filter, queryEntities, type SortInput } from '../../../../api/records/entities'
import type { Table } from '../../table/table.svelte'

export interface SequenceQuery {
  readonly filter: Filter
  readonly sorts: readonly SortInput[]
}

const tables = new Map<string, Table>()

const keyOf = ({ kind, slug }: EntityTypePath): string => `table ${kind} ${slug}`

/** Called by the screen of a table whenever its query changes. */
export function rememberTable(table: Table, query: SequenceQuery): void {
  tables.set(keyOf(table.entityType), table)
  sessionStorage.setItem(keyOf(table.entityType), JSON.stringify(query))
}

export const tableOf = (entityType: EntityTypePath): Table | undefined => tables.get(keyOf(entityType))

/** Undefined when this tab of the browser has shown no table of the object, activity or list. */
function queryOf(entityType: EntityTypePath): SequenceQuery | undefined {
  const stored = sessionStorage.getItem(keyOf(entityType))
  return stored === null ? undefined : (JSON.parse(stored) as SequenceQuery) // what `rememberTable` stored
}

const PAGE = 200
/** A record further down has no neighbours after a reload. */
const MAX_PAGES = 5

/** Reads the ids of the table from its beginning, up to the one after `rowId`. Undefined if it is not among them. */
export async function readAround(
  entityType: EntityTypePath,
  rowId: string,
  signal: AbortSignal,
): Promise<{ readonly previous: string | undefined; readonly next: string | undefined } | undefined> {
  const sequence = queryOf(entityType)
  if (sequence === undefined) return undefined
  const ids: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { ...sequence, fields: [], limit: PAGE, cursor }
    const { entities, nextCursor }: Awaited<ReturnType<typeof queryEntities>> = await queryEntities(
      entityType,
      query,
      signal,
    )
    ids.push(...entities.map(({ id }) => id))
    const at = ids.indexOf(rowId)
    if (at >= 0 && (at + 1 < ids.length || nextCursor === null)) return { previous: ids[at - 1], next: ids[at + 1] }
    if (nextCursor === null) return undefined
    cursor = nextCursor
  }
  return undefined
}
