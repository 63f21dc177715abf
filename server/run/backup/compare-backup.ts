/** Compares a database with the backup that was restored into it, value by value. */

import { readDefinitions, readSequences } from '#db/backup/definitions'
import type { Database } from '#db/connect'
import { allowLongTransaction } from '#db/run-in-transaction'
import { CommandError } from '#run/cli/command'
import type { Progress } from '#run/cli/transfer/progress'
import { type Contents, readPart, type Repository, tableStep } from './format'
import { readTable } from './write-backup'

interface Comparison {
  readonly db: Database
  readonly repository: Repository
  readonly contents: Contents
  readonly progress: Progress
}

/**
 * Throws `CommandError` for the first difference of tables, rows and sequences. The restore must just have ended, because rows are compared
 * in the order in which PostgreSQL stores them.
 */
export async function compareWithBackup(options: Comparison): Promise<void> {
  const { db, repository, contents, progress } = options
  await db.sql.begin('isolation level repeatable read, read only', async (tx) => {
    await allowLongTransaction(tx)
    await tx`set local search_path = ''`
    await tx`set local synchronize_seqscans = off`
    const { tables } = await readDefinitions(tx)
    const names = ({ name, columns }: (typeof tables)[number]) => `${name} (${columns.join(', ')})`
    requireEqual('tables', tables.map(names).toSorted(), contents.definition.tables.map(names).toSorted())
    for (const [index, table] of contents.definition.tables.entries()) {
      const part = contents.tables[table.name]
      if (part === undefined) continue
      progress.begin(tableStep(contents.definition, index))
      const restored = await readTable(options, tx, table, digestOf)
      requireEqual(`rows of ${table.name}`, restored, await digestOf(readPart(repository, part)))
    }
    requireEqual('sequences', byName(await readSequences(tx)), byName(contents.sequences))
  })
  progress.done()
}

const byName = (sequences: Contents['sequences']) =>
  Object.fromEntries(sequences.map(({ name, ...position }) => [name, position]))

async function digestOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of chunks) hasher.update(chunk)
  return hasher.digest('hex')
}

function requireEqual(subject: string, restored: unknown, stored: unknown): void {
  if (!Bun.deepEquals(restored, stored)) throw new CommandError(`The ${subject} are not those of the backup.`)
}
