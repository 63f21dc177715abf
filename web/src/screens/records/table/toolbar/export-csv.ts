/** Writes rows to a CSV file. Browsers that cannot write to the disk get the file as a download. */

import type { Attribute, EntityTypePath } from '../../../../api/data-model/attributes'
import { type Entity, type EntityQuery, queryEntities } from '../../../../api/records/entities'
import { streamImportable } from '../../../../api/records/export'
import { openOutputFile } from '../../../../state/output-file'
import { textOfValues, valueTypeOf } from '../../../../values/registry'
import { csvLine } from '../../../../values/csv'

const PAGE = 500

/** How values are written: as the table shows them, or as an import reads them back. */
export type ExportForm = 'shown' | 'importable'

export interface ExportOptions {
  readonly pages: AsyncIterable<readonly Entity[]>
  readonly columns: readonly Attribute[]
  readonly name: string
}

export async function exportCsv(options: ExportOptions, onprogress: (rows: number) => unknown): Promise<void> {
  const file = await openOutputFile(`${options.name}.csv`)
  await file.write(csvLine(options.columns.map(({ title }) => title)))
  let rows = 0
  for await (const lines of readLines(options)) {
    await file.write(lines.join(''))
    rows += lines.length
    onprogress(rows)
  }
  await file.close()
}

async function* readLines({ pages, columns }: ExportOptions): AsyncGenerator<string[]> {
  for await (const entities of pages) {
    for (const column of columns) {
      const values = entities.flatMap((entity) => entity.values[column.api_slug] ?? [])
      await valueTypeOf(column).loadText?.(values)
    }
    yield entities.map(({ values }) =>
      csvLine(columns.map((column) => textOfValues(column, values[column.api_slug] ?? []))),
    )
  }
}

/** All rows of a query, page by page. */
export async function* pagesOf(
  entityType: EntityTypePath,
  query: EntityQuery,
  signal: AbortSignal,
): AsyncGenerator<readonly Entity[]> {
  let cursor: string | null = null
  do {
    const page = await queryEntities(entityType, { ...query, limit: PAGE, cursor }, signal)
    yield page.entities
    cursor = page.nextCursor
  } while (cursor !== null)
}

interface ImportableExport {
  readonly entityType: EntityTypePath
  /** The file has the records of one after those of another. */
  readonly queries: Iterable<EntityQuery>
  readonly name: string
  readonly signal: AbortSignal
}

/** Writes a file that an import reads back without a change. */
export async function exportImportable(
  { entityType, queries, name, signal }: ImportableExport,
  onprogress: (bytes: number) => unknown,
): Promise<void> {
  const file = await openOutputFile(`${name}.csv`)
  let written = 0
  try {
    for (const query of queries) {
      const { body } = await streamImportable(entityType, query, signal)
      let isHeader = written > 0
      for await (const part of partsOf(body)) {
        // The header of a further query ends with the first line: slugs have no line breaks.
        const end = isHeader ? part.indexOf(LINE_FEED) + 1 : 0
        isHeader = isHeader && end === 0
        if (isHeader) continue
        await file.write(part.subarray(end))
        written += part.length - end
        onprogress(written)
      }
    }
    await file.close()
  } catch (error) {
    await file.abort()
    // The service can only end a response that has begun, which browsers report as an error of the network.
    throw error instanceof TypeError ? new Error('The export ended early. Try again.') : error
  }
}

const LINE_FEED = 0x0a

async function* partsOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | null) {
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) yield part.value
}
