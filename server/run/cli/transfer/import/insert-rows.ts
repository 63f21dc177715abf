/** Inserts the rows of a file of the registry. */

import type { Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'
import { dumpedTable } from '#engine/storage/dump/workspace-tables'
import { type FileDefinition, importStatements } from '#run/cli/transfer/files/define-file'
import { isDataRefused } from '#base/errors/database'
import type { Progress } from '#run/cli/transfer/progress'
import { DamagedExport, messageOf } from './open-file'
import { type ExportLine, readExportLines } from './read-lines'

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

/** A line has exactly the members of its file, may have former ones, and may lack later ones. PostgreSQL checks their types. */
function parseRow({ columns, former = [], later = [] }: FileDefinition, text: string): RowLine {
  const row: unknown = JSON.parse(text)
  if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new Error('a line is a JSON object.')
  const missing = Object.keys(columns).find((name) => !Object.hasOwn(row, name) && !later.includes(name))
  if (missing !== undefined) throw new Error(`the member ${missing} is missing.`)
  const unknown = Object.keys(row).find((name) => !Object.hasOwn(columns, name) && !former.includes(name))
  if (unknown !== undefined) throw new Error(`the member ${JSON.stringify(unknown.slice(0, 100))} is unknown.`)
  return row as RowLine // checked above
}

// Inserts the lines of a file in batches. A line that cannot be inserted is reported with its file and number.

/** How the lines of a file become rows. */
export interface LineInserter<T> {
  /** Throws an error that says what is wrong with the line. */
  parse(text: string): T | Promise<T>
  insert(tx: Transaction, items: readonly T[]): Promise<void>
}

interface Item<T> {
  readonly line: number
  readonly item: T
}

export interface ImportSource {
  readonly folder: string
  readonly progress: Progress
}

const MAX_LINES = 500
const MAX_CHARACTERS = 4_000_000

/** Returns the number of lines. Throws `DamagedExport`. */
export async function insertLines<T>(
  tx: Transaction,
  { folder, progress }: ImportSource,
  name: string,
  inserter: LineInserter<T>,
): Promise<void> {
  progress.begin(name)
  let batch: Item<T>[] = []
  let characters = 0
  const flush = async () => {
    if (batch.length > 0) await insertBatch(tx, name, batch, inserter)
    progress.add(batch.length)
    batch = []
    characters = 0
  }
  for await (const line of readExportLines(folder, name)) {
    batch.push({ line: line.number, item: await parseLine(name, line, inserter) })
    characters += line.text.length
    if (batch.length === MAX_LINES || characters > MAX_CHARACTERS) await flush()
  }
  await flush()
}

async function parseLine<T>(name: string, { number, text }: ExportLine, { parse }: LineInserter<T>): Promise<T> {
  try {
    return await parse(text)
  } catch (error) {
    throw new DamagedExport(name, messageOf(error), number)
  }
}

/** A batch that fails is inserted line by line, to find the one that fails. */
async function insertBatch<T>(
  tx: Transaction,
  name: string,
  batch: readonly Item<T>[],
  { insert }: LineInserter<T>,
): Promise<void> {
  const items = batch.map(({ item }) => item)
  const failure = await tryInsert(tx, (inside) => insert(inside, items))
  if (failure === undefined) return
  for (const { line, item } of batch) {
    const failureOfLine = await tryInsert(tx, (inside) => insert(inside, [item]))
    if (failureOfLine !== undefined) throw new DamagedExport(name, `${failureOfLine}.`, line)
  }
  throw new DamagedExport(name, `${failure}.`, batch[0]?.line)
}

/** The message of PostgreSQL when it refuses the data. Throws all other errors. */
async function tryInsert(tx: Transaction, insert: (tx: Transaction) => Promise<void>): Promise<string | undefined> {
  try {
    await tx.savepoint(insert)
    return undefined
  } catch (error) {
    if (!isDataRefused(error)) throw error
    return messageOf(error)
  }
}
