/** Inserts the rows of a file of the registry. */

import type { Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { dumpedTable } from '#engine/storage/dump/workspace-tables'
import { type FileDefinition, importStatements } from '#run/cli/transfer/files/define-file'
import type { LineInserter } from './insert-batches'

/** A line as it was read, with the columns that the import adds. */
export type RowLine = Readonly<Record<string, unknown>>

/** Returns the columns that the import adds to a line, or throws an error that says what is wrong with the line. */
export type CompleteRow = (row: RowLine) => RowLine | Promise<RowLine>

export function rowInserter(
  { workspaceId, schema }: { readonly workspaceId: string } & Pick<DataModel, 'schema'>,
  file: FileDefinition,
  complete?: CompleteRow,
): LineInserter<string> {
  const qualify = (table: string) =>
    file.isInWorkspaceSchema ? dumpedTable({ schema }, table === 'merges' ? 'merges' : 'history') : `relata.${table}`
  const statements = importStatements(file, qualify)
  // Statements over tables of the workspace have no parameter for it.
  const texts = file.isInWorkspaceSchema ? statements.map((text) => text.replaceAll('$2', '$1')) : statements
  const before = file.isInWorkspaceSchema ? [] : [workspaceId]
  return {
    async parse(text) {
      const row = parseRow(file, text)
      return complete === undefined ? text : JSON.stringify({ ...row, ...(await complete(row)) })
    },
    async insert(tx: Transaction, lines) {
      const rows = `[${lines.join(',')}]`
      for (const text of texts) await tx.unsafe(text, [...before, rows], { prepare: true })
    },
  }
}

/** A line has exactly the members of its file. PostgreSQL checks their types. */
function parseRow({ columns }: FileDefinition, text: string): RowLine {
  const row: unknown = JSON.parse(text)
  if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new Error('a line is a JSON object.')
  const missing = Object.keys(columns).find((name) => !Object.hasOwn(row, name))
  if (missing !== undefined) throw new Error(`the member ${missing} is missing.`)
  const unknown = Object.keys(row).find((name) => !Object.hasOwn(columns, name))
  if (unknown !== undefined) throw new Error(`the member ${JSON.stringify(unknown.slice(0, 100))} is unknown.`)
  return row as RowLine // checked above
}
