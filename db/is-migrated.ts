/** Whether a database can be used as it stands; throws when it cannot be reached. */

import type { Database } from './connect'
import { readMigrations } from './migrate'

/** A question to ask again and again: the migrations of this version are read once. */
export function createMigratedCheck(db: Database): () => Promise<boolean> {
  const names = readMigrations().map(({ name }) => name)
  return async () => {
    const [found] = await db.sql<[{ exists: boolean }]>`select to_regclass('relata.migrations') is not null as exists`
    if (!found.exists) return false
    const applied = await db.sql<{ name: string }[]>`select name from relata.migrations`
    const known = new Set(applied.map(({ name }) => name))
    return names.every((name) => known.has(name))
  }
}
