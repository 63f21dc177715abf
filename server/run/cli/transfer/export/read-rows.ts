/** Reads the rows of a file with a cursor of the transaction, so that memory holds one batch. */

import type { Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { dumpedTable } from '#engine/storage/dump/workspace-tables'
import { DEFAULT_BATCH, exportStatement, type FileDefinition } from '#run/cli/transfer/files/define-file'

export async function* readRows(
  tx: Transaction,
  model: DataModel,
  file: FileDefinition,
): AsyncGenerator<readonly string[]> {
  const statement = exportStatement(file, qualifiedTable(model, file))
  const parameters = file.isInWorkspaceSchema ? [] : [model.workspace.id]
  const rows = tx.unsafe<{ line: string }[]>(statement, parameters)
  for await (const batch of rows.cursor(file.batch ?? DEFAULT_BATCH)) yield batch.map(({ line }) => line)
}

/** The table of a file, qualified for SQL. */
export function qualifiedTable(model: DataModel, { table, isInWorkspaceSchema }: FileDefinition): string {
  if (!isInWorkspaceSchema) return `relata.${table}`
  return dumpedTable(model, table === 'merges' ? 'merges' : 'history')
}
