/** Reads a whole database, to compare it with its restored copy. */

import type { Database, Transaction } from '#db/connect'
import { readDefinitions, readSequences } from '#db/backup/definitions'

/** All definitions, all rows of all tables, and where the sequences stand. */
export const everythingIn = (db: Database) =>
  db.sql.begin('isolation level repeatable read, read only', async (tx) => {
    await tx`set local search_path = ''`
    const definition = await readDefinitions(tx)
    const rows: Record<string, string[]> = {}
    for (const { name, columns } of definition.tables) if (columns.length > 0) rows[name] = await rowsOf(tx, name)
    return { definition, rows, sequences: await readSequences(tx) }
  })

const rowsOf = async (tx: Transaction, table: string) =>
  (await tx.unsafe<{ row: string }[]>(`select t::text as row from ${table} t order by 1`)).map(({ row }) => row)
