/** Writes rows to a CSV file. Browsers that cannot write to the disk get the file as a download. */

import type { Attribute, EntityTypePath } from '../../../../api/data-model/attributes'
import { type Entity, type EntityQuery, queryEntities } from '../../../../api/records/entities'
import { openOutputFile } from '../../../../state/output-file'
import { textOfValues, valueTypeOf } from '../../../../values/registry'
import { csvLine } from '../../../../values/csv'

const PAGE = 500

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
