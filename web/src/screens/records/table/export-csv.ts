/**
 * Walks all rows of a query and writes them to a CSV file: straight to the disk where the browser can, else by way of a download.
 */

import type { Attribute, EntityTypePath } from '../../../api/data-model/attributes'
import { type Entity, type EntityQuery, queryEntities } from '../../../api/records/entities'
import { knowNames } from '../../../state/record-names.svelte'
import { asText } from '../../../values/define'
import { textOfValues } from '../../../values/registry'
import { csvLine } from './csv'

const PAGE = 500

export interface Export {
  readonly entityType: EntityTypePath
  readonly query: EntityQuery
  readonly columns: readonly Attribute[]
  readonly name: string
  readonly signal: AbortSignal
}

interface Sink {
  write(text: string): Promise<void>
  close(): Promise<void>
}

/** What browsers that write to the disk have; TypeScript's own types leave it out. */
type SavingWindow = Window & {
  showSaveFilePicker?: (options: { suggestedName: string }) => Promise<FileSystemFileHandle>
}

export async function exportCsv(order: Export, onprogress: (rows: number) => unknown): Promise<void> {
  const sink = await openSink(`${order.name}.csv`)
  await sink.write(csvLine(order.columns.map(({ title }) => title)))
  let rows = 0
  for await (const lines of walk(order)) {
    await sink.write(lines.join(''))
    rows += lines.length
    onprogress(rows)
  }
  await sink.close()
}

async function* walk({ entityType, query, columns, signal }: Export): AsyncGenerator<string[]> {
  let cursor: string | null = null
  do {
    const page = await queryEntities(entityType, { ...query, limit: PAGE, cursor }, signal)
    for (const column of columns) {
      if (column.type === 'record-reference') await nameTargets(page.entities, column)
    }
    yield page.entities.map(({ values }) =>
      csvLine(columns.map((column) => textOfValues(column, values[column.api_slug] ?? []))),
    )
    cursor = page.nextCursor
  } while (cursor !== null)
}

/** So that records are in the file by what they are called. */
async function nameTargets(entities: readonly Entity[], { api_slug }: Attribute): Promise<void> {
  const targets = entities.flatMap(({ values }) => values[api_slug] ?? [])
  const byObject = Map.groupBy(targets, ({ target_object }) => asText(target_object))
  for (const [object, values] of byObject) {
    await knowNames(
      object,
      values.map(({ target_record_id }) => asText(target_record_id)),
    )
  }
}

async function openSink(name: string): Promise<Sink> {
  const { showSaveFilePicker } = window as SavingWindow
  if (!showSaveFilePicker) return download(name)
  const file = await showSaveFilePicker.call(window, { suggestedName: name })
  return file.createWritable()
}

function download(name: string): Sink {
  const parts: string[] = []
  return {
    write: async (text) => void parts.push(text),
    close: async () => {
      const address = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }))
      const link = Object.assign(document.createElement('a'), { href: address, download: name })
      link.click()
      setTimeout(() => URL.revokeObjectURL(address), 60_000)
    },
  }
}
