/** Inserts the lines of a file in batches. A line that cannot be inserted is reported with its file and number. */

import type { Transaction } from '#db/connect'
import { isDataRefused } from '#base/errors/database'
import type { Progress } from '#run/cli/transfer/progress'
import { DamagedExport, messageOf } from './damaged-export'
import { type Line, readLines } from './read-lines'

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
  for await (const line of readLines(folder, name)) {
    batch.push({ line: line.number, item: await parseLine(name, line, inserter) })
    characters += line.text.length
    if (batch.length === MAX_LINES || characters > MAX_CHARACTERS) await flush()
  }
  await flush()
}

async function parseLine<T>(name: string, { number, text }: Line, { parse }: LineInserter<T>): Promise<T> {
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
